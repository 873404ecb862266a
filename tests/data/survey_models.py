"""Twelve files modelled on public surveys and registers: their columns' names, and the kinds of values they hold."""

import numpy as np

N = 600
RNG = np.random.default_rng(20)


def whole(low, high):
    return RNG.integers(low, high + 1, N)


def codes(*values):
    return RNG.choice(values, N)


def money(scale=9.5):
    return np.round(RNG.lognormal(scale, 1, N), 0).astype(int)


def amounts(scale=7.0):
    return np.round(RNG.lognormal(scale, 1, N), 2)


def weights():
    return np.round(RNG.lognormal(5, 0.5, N), 3)


def ages():
    return RNG.integers(0, 96, N)


def numbers(first=1):
    return RNG.permutation(np.arange(first, first + N))


def members(first=1):
    return np.sort(RNG.integers(first, first + N // 2, N))


def apart(values, code, share=0.1):
    return np.where(RNG.random(N) < share, code, values)


def names_of_people():
    return np.array([f"Person {letter}{number}" for number, letter in enumerate("abcdef" * (N // 6))])


def days(since, count, form="%Y-%m-%d"):
    start = np.datetime64(since)
    found = start + RNG.integers(0, count, N)
    return np.array([day.item().strftime(form) for day in found])


def remarks(words):
    return np.array([f"{words} {number % 97} {words} {number % 89}" for number in range(N)])


# for each file: its columns, and the roles that a proposal must see in some of them
MODELS = {
    "EU-SILC, persons": (
        {
            "PB020": codes("AT", "ES"),
            "PB030": numbers(10_001),
            "PX030": members(1000),
            "PB040": weights(),
            "PB140": RNG.integers(1925, 2005, N),
            "PB150": codes(1, 2),
            "PB190": codes(1, 2, 3, 4, 5),
            "PE040": codes(0, 100, 200, 300, 400, 500),
            "PL031": codes(1, 2, 3, 4, 5, 6, 7, 8),
            "PY010G": money(),
            "PH010": codes(1, 2, 3, 4, 5),
        },
        {
            "identifier": "PB030",
            "household": "PX030",
            "weight": "PB040",
            "key": "PB140 PB150 PB190 PE040 PL031",
        },
        "PY010G PH010",
    ),
    "EU-SILC, households": (
        {
            "DB030": numbers(1),
            "DB040": codes("AT11", "AT12", "AT21", "AT31"),
            "DB090": weights(),
            "DB100": codes(1, 2, 3),
            "HX040": whole(1, 7),
            "HY020": money(10),
        },
        {"household": "DB030", "weight": "DB090", "key": "DB040 DB100 HX040"},
        "HY020",
    ),
    "Labour Force Survey": (
        {
            "HHNUM": members(5000),
            "SEX": codes(1, 2),
            "AGE": ages(),
            "MARSTAT": codes(0, 1, 2, 9),
            "NATIONAL": codes("000", "001", "009"),
            "REGION": codes("DE1", "DE2", "DEA"),
            "HATLEV1D": codes("L", "M", "H"),
            "ILOSTAT": codes(1, 2, 3, 4, 9),
            "HWACTUAL": apart(whole(1, 60), 99),
            "COEFFY": weights(),
        },
        {"household": "HHNUM", "weight": "COEFFY", "key": "SEX AGE MARSTAT NATIONAL REGION HATLEV1D ILOSTAT"},
        "",
    ),
    "IPUMS USA": (
        {
            "SERIAL": members(1),
            "PERNUM": whole(1, 8),
            "PERWT": weights(),
            "STATEFIP": whole(1, 56),
            "PUMA": whole(100, 140),
            "SEX": codes(1, 2),
            "AGE": ages(),
            "MARST": codes(1, 2, 3, 4, 5, 6),
            "RACE": whole(1, 9),
            "EDUC": whole(0, 11),
            "INCTOT": apart(money(), 9_999_999),
            "INCWAGE": apart(money(), 999_999),
        },
        {"household": "SERIAL", "weight": "PERWT", "key": "STATEFIP PUMA SEX AGE MARST RACE EDUC"},
        "INCTOT INCWAGE",
    ),
    "DHS, women": (
        {
            "CASEID": np.array([f"{n:7d} {n % 9:2d}" for n in range(N)]),
            "V002": members(1),
            "V005": whole(100_000, 3_000_000),
            "V012": whole(15, 49),
            "V024": codes(1, 2, 3, 4),
            "V025": codes(1, 2),
            "V106": codes(0, 1, 2, 3),
            "V130": codes(1, 2, 3, 96),
            "V190": codes(1, 2, 3, 4, 5),
        },
        {"identifier": "CASEID", "household": "V002", "weight": "V005", "key": "V012 V024 V025 V106 V130"},
        "V190",
    ),
    "hospital, English": (
        {
            "patient_no": np.array([f"H{n:06}" for n in numbers(200_000)]),
            "sex": codes("M", "F"),
            "age": ages(),
            "postcode": np.array([f"LS{n % 29} {n % 9}" for n in range(N)]),
            "admitted": days("2021-01-01", 360),
            "diagnosis": codes("I10", "E11", "J45", "C50"),
            "height": whole(150, 200),
            "weight": whole(45, 120),
            "notes": remarks("slept well after two hours"),
        },
        {"identifier": "patient_no notes", "key": "sex age postcode"},
        "diagnosis weight",
    ),
    "tax file, German": (
        {
            "Steuernummer": numbers(93_815_000),
            "Geschlecht": codes("m", "w"),
            "Geburtsjahr": RNG.integers(1930, 2004, N),
            "Familienstand": codes("ledig", "verheiratet", "verwitwet"),
            "Bundesland": codes("Bayern", "Hessen", "Sachsen"),
            "hh_groesse": whole(1, 6),
            "Haushaltsnummer": members(100),
            "Hochrechnungsfaktor": weights(),
            "Bruttoeinkommen": amounts(10),
            "Lohnsteuer": amounts(8),
        },
        {
            "identifier": "Steuernummer",
            "household": "Haushaltsnummer",
            "weight": "Hochrechnungsfaktor",
            "key": "Geschlecht Geburtsjahr Familienstand Bundesland hh_groesse",
        },
        "Bruttoeinkommen Lohnsteuer",
    ),
    "customers, French": (
        {
            "client": numbers(700_321),
            "nom": names_of_people(),
            "sexe": codes("H", "F"),
            "âge": ages(),
            "département": codes("29", "35", "75"),
            "revenu_annuel": amounts(10),
            "dépenses": amounts(6),
            "remarque": remarks("préfère être appelé le soir"),
        },
        {"identifier": "client nom remarque", "key": "sexe âge département"},
        "revenu_annuel dépenses",
    ),
    "survey, Spanish": (
        {
            "id_hogar": members(50),
            "num_persona": whole(1, 6),
            "factor_elevacion": weights(),
            "sexo": codes("Hombre", "Mujer"),
            "edad": ages(),
            "comunidad": codes("Galicia", "Aragón", "Murcia"),
            "nivel_estudios": codes(1, 2, 3, 4, -9),
            "ingresos": apart(money(), -1),
            "horas": apart(whole(1, 60), -9),
        },
        {"household": "id_hogar", "weight": "factor_elevacion", "key": "sexo edad comunidad nivel_estudios"},
        "ingresos",
    ),
    "survey, Italian": (
        {
            "nquest": members(1),
            "cognome": names_of_people(),
            "peso": weights(),
            "sesso": codes("M", "F"),
            "eta": ages(),
            "regione": codes("Lazio", "Umbria", "Puglia"),
            "titolo_studio": codes(1, 2, 3, 4, 5),
            "reddito": amounts(9),
            "affitto": apart(amounts(6), -1.0),
        },
        {
            "identifier": "cognome",
            "household": "nquest",
            "weight": "peso",
            "key": "sesso eta regione titolo_studio",
        },
        "reddito affitto",
    ),
    "survey, German, without telling names": (
        {
            "v1": numbers(40_000),
            "v2": codes("männlich", "weiblich"),
            "v3": ages(),
            "v4": codes("DE11", "DE12", "DE21", "DEA5"),
            "v5": RNG.integers(1940, 2003, N),
            "v6": remarks("Ich warte seit drei Wochen auf"),
        },
        {"identifier": "v1 v6", "key": "v2 v3 v4 v5"},
        "",
    ),
    "panel, French households": (
        {
            "id_menage": members(900),
            "idind": numbers(5_000),
            "pondération": weights(),
            "taille_menage": whole(1, 7),
            "date_naissance": days("1930-01-01", 26_000, "%d/%m/%Y"),
            "genre": codes("femme", "homme"),
            "région": codes("Bretagne", "Corse"),
            "salaire": amounts(7),
            "loyer": amounts(6),
        },
        {
            "household": "id_menage",
            "identifier": "idind date_naissance",
            "weight": "pondération",
            "key": "taille_menage genre région",
        },
        "salaire loyer",
    ),
}
