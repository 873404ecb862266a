"""What names of columns say: in English, German, French, Spanish and Italian, and in the codes of surveys that many use.

A name is split into words (`words_of`). A stem is looked for inside words, as languages that write them together need it.
The codes are those of EU-SILC, the Labour Force Survey, IPUMS, the American Community Survey, and Demographic and
Health Surveys.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from sfumato.data.attribute import Role


@dataclass(frozen=True)
class Names:
    """Words, stems and whole codes that speak for one thing."""

    words: frozenset[str]
    stems: tuple[str, ...] = ()
    codes: frozenset[str] = frozenset()

    @classmethod
    def of(cls, words: str, stems: str = "", codes: str = "") -> "Names":
        return cls(frozenset(words.split()), tuple(stems.split()), frozenset(codes.split()))

    def found(self, name: str) -> str:
        """The word of a name that is known, or nothing."""
        plain = plain_name(name)
        if plain in self.codes:
            return plain
        words = words_of(name)
        known = sorted((self.words | self.codes).intersection(words))
        return known[0] if known else next((s for s in self.stems if any(s in word for word in words)), "")


WEIGHT = Names.of(
    "weight weights wgt wt wts fnlwgt pweight hweight gewicht gew poids pond ponderation peso pesos factor coeff coef",
    "gewicht hochrechn ponder weight elevacion riporto espansione",
    "pwgtp wgtp perwt hhwt v005 hv005 db090 rb050 rb060 pb040 pb060 coeff coeffy coeffq coeffhh asecwt wtfinl",
)
HOUSEHOLD = Names.of(
    "household hh hhid hhnum hhnr famid familyid dwelling haushalt haus menage foyer hogar vivienda famiglia nucleo",
    "household haushaltsn haushaltsi haushaltid hogarid",
    "serial db030 rx030 px030 rb040 hb030 hhseqnum hhidn v002 hv002 hhid idhogar idmen numen nquest",
)
SIZES = Names.of(
    "size groesse grosse anzahl personen typ type taille nombre tamano numero componenti dimensione ncomp members "
    "persons kinder children rooms zimmer pieces habitaciones stanze tenure kind art structure head relation",
    "groess einkommen",
)
MONEY = Names.of(
    "income incomes salary wage wages earnings tax taxes debt credit loan loans benefit benefits wealth savings turnover "
    "profit revenue spending expenditure spent price amount balance rent pension pensions einkommen lohn gehalt steuer "
    "umsatz schulden vermogen rente miete betrag ausgaben revenu revenus salaire salaires impot impots loyer dette "
    "patrimoine depenses montant ingreso ingresos renta salario sueldo impuesto impuestos deuda gasto gastos alquiler "
    "importe reddito redditi stipendio imposta imposte tasse affitto debito spesa spese fatturato importo",
    "einkomm income steuer gehalt salair ingres reddit umsatz vermoeg",
    "inctot incwage ftotinc hhincome incearn incss incwelfr pincp hincp wagp povpip poverty hy010 hy020 hy022 hx090 "
    "py010g py010n py050g py090g py100g hy040g hh070 incdecil",
)
SECRETS = Names.of(
    "disease diagnosis diagnose diagnostic diagnostico diagnosi health disability crime conviction vote illness icd "
    "treatment drug hiv krankheit gesundheit behandlung sante maladie salud enfermedad malattia salute reddito",
    "diagnos krankh maladi enfermed malatt behinder handicap",
    "ph010 ph020 ph030 dvet deye dear dphy drem v190 v191",
)
IDENTIFIERS = Names.of(
    "id ids identifier uuid guid name names surname firstname lastname forename ssn nif dni passport email mail phone "
    "telephone mobile address street iban login username vorname nachname nachnamen strasse hausnummer telefon handy "
    "ausweis kennung nom noms prenom prenoms adresse rue telefono nombre apellido apellidos direccion calle correo "
    "cognome nome indirizzo via codicefiscale nss siret matricule",
    "nummer kennzeichen telefon passport",
    "caseid pernum db020id rb030 pb030 px010 idind numind hhidpn cpsidp nir",
)
NOMINAL_KEYS = Names.of(
    "sex gender race ethnicity ethnic marital married region regions state province provinces county municipality district "
    "city town village place residence zip zipcode postcode postal country nationality citizenship birthplace job profession employment industry "
    "sector religion language tenure urban rac msp hisp hispanic puma housing own occupation geschlecht familienstand "
    "zivilstand bundesland kreis gemeinde staat staatsangehorigkeit land plz wohnort ort stadt ortsteil bezirk stadtteil beruf branche konfession sprache "
    "sexe genre departement ville quartier commune pays nationalite metier langue etatcivil matrimonial sexo genero "
    "provincia ciudad barrio localidad comunidad municipio pais nacionalidad ocupacion profesion civil sesso genere regione comune citta paese "
    "cittadinanza professione religione lingua statocivile",
    "geschlecht nationalit bundesland familienst staatsang postleit",
    "db040 db100 rb090 pb150 pb190 pb210 pb220a pl031 pl040 pl051 pl111 statefip countyfip countyfips race raced marst "
    "bpl citizen hisp hispan metro puma v024 v025 v101 v102 v130 v131 v501 hv024 hv025 hv104 marstat national countryb "
    "degurba nuts region_2d mainstat ilostat nace1d isco1d nace2d isco3d stapro",
)
OTHER_KEYS = Names.of(
    "age birth birthday dob education edu educ degree school children size agep alter jahrgang geburtsjahr geburt "
    "bildung schulabschluss ausbildung kinder groesse "
    "naissance anneenaissance diplome etudes scolarite enfants taille edad nacimiento anonac estudios educacion hijos "
    "eta nascita annonascita istruzione titolo figli anzahl",
    "geburt alters schulab naissanc nacimi nascit istruz",
    "agep rx010 rx020 px020 rb080 pb140 pe040 pe041 hx040 v012 v010 v106 v107 v149 hv105 hv106 educd hatlev1d yearb "
    "famsize nchild noc npf ageband agegroup",
)
BODIES = Names.of(
    "height bmi stature talla estatura altezza grosse groesse korpergrosse", "korpergr groesse", ""
)

ROLES: Mapping[Role, tuple[Names, ...]] = {
    "weight": (WEIGHT,),
    "household": (HOUSEHOLD,),
    "identifier": (IDENTIFIERS,),
    "key": (NOMINAL_KEYS, OTHER_KEYS),
    "confidential": (MONEY, SECRETS),
}


def words_of(name: str) -> list[str]:
    """The words a name is made of, without accents.

    >>> words_of("dateOfBirth_2"), words_of("Âge")
    (['date', 'of', 'birth'], ['age'])
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", plain).lower())


def plain_name(name: str) -> str:
    """A name as codes of surveys are compared.

    >>> plain_name("PB030"), plain_name("ID_Hogar")
    ('pb030', 'idhogar')
    """
    return re.sub(r"[^a-z0-9]", "", name.lower())


def named_role(name: str, numeric: bool) -> tuple[Role, str] | None:
    """The role that a name suggests, and the word that does.

    Money of a household is no household number, nor is its size; a tax number is a number, and no tax.

    >>> named_role("householdIncome", True), named_role("hh_groesse", True), named_role("Haushaltsnummer", True)
    (('confidential', 'income'), ('key', 'groesse'), ('household', 'haushaltsn'))
    """
    found = {role: next((w for one in names if (w := one.found(name))), "") for role, names in ROLES.items()}
    if found["weight"] and numeric:
        return "weight", found["weight"]
    if found["household"] and SIZES.found(name) and not MONEY.found(name):
        return "key", SIZES.found(name)
    if MONEY.found(name) and not (found["identifier"] or (found["key"] and not numeric)):
        return "confidential", MONEY.found(name)
    for role in ("household", "identifier", "key", "confidential"):
        if found[role]:
            return role, found[role]
    return None
