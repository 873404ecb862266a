"""Sixty files as people really send them: encodings × delimiters × decimals × headers × dates × codes.

Each is made from the same kinds of columns: a code with leading zeros, a place with letters beyond ASCII, an age, an
amount with decimals, a large whole number, a day, a code of sex, a remark that may hold anything. What was meant is
kept beside it, in plain form: points for decimals, ISO days, codes as they are.
"""

import csv
import datetime
import io
from dataclasses import dataclass, field
from itertools import cycle, islice

import numpy as np

from sfumato.data import CsvOptions

PLACES = {
    "en": ("Leeds", "York", "Bath", "Ely", "Wells", "Ripon"),
    "de": ("München", "Köln", "Görlitz", "Gießen", "Düren", "Bonn", "Lübeck"),
    "fr": ("Besançon", "Orléans", "Nîmes", "Évreux", "Angoulême", "Lyon", "Mâcon"),
    "es": ("A Coruña", "León", "Cádiz", "Mérida", "Logroño", "Jaén", "Soria"),
    "it": ("Forlì", "Cantù", "Mondovì", "Roma", "San Donà", "Città di Castello"),
    "pl": ("Łódź", "Kraków", "Gdańsk", "Wrocław", "Białystok", "Częstochowa"),
    "cs": ("Plzeň", "Třebíč", "Ústí nad Labem", "České Budějovice", "Děčín"),
    "ru": ("Москва", "Казань", "Пермь", "Омск", "Тверь", "Самара"),
    "el": ("Αθήνα", "Πάτρα", "Λάρισα", "Βόλος", "Χανιά"),
    "ja": ("東京都", "大阪府", "京都府", "札幌市", "横浜市", "名古屋市"),
}
REMARKS = {
    "en": ("moved here last year", "two jobs, one car", "no answer; call again", 'said "maybe"', ""),
    "de": ("zieht um", "drei Söhne, zwei Töchter", "große Wohnung; Küche neu", 'sagt "vielleicht"', ""),
    "fr": (
        "déménagé l'an passé",
        "deux emplois, une voiture",
        "très âgé; santé fragile",
        "dit « peut-être »",
        "",
    ),
    "es": ("se mudó el año pasado", "dos trabajos, un coche", "niño pequeño; mañana", 'dijo "quizás"', ""),
    "it": ("è andato via", "due lavori, una città", "perché no; più tardi", 'ha detto "forse"', ""),
    "pl": ("wyjechał na stałe", "dwie prace, żona uczy", "może później; źle słyszy", 'mówi "chyba"', ""),
    "cs": ("odstěhoval se", "dvě práce, žádné auto", "možná později; špatně slyší", 'řekl "snad"', ""),
    "ru": ("уехал далеко", "две работы, одна машина", "может быть; позже", 'сказал "да"', ""),
    "el": ("έφυγε πέρυσι", "δύο δουλειές, ένα σπίτι", "ίσως; αργότερα", "είπε ναι", ""),
    "ja": ("昨年引っ越した", "仕事が二つあります", "また後で電話してください", "たぶんと言った", ""),
}
NAMES = ("code", "place", "age", "amount", "people", "day", "sex", "remark")
RECORDS = 80
DAYS = {"ymd": "%Y-%m-%d", "dmy": "%d/%m/%Y", "mdy": "%m/%d/%Y", "dots": "%d.%m.%Y", "dashes": "%d-%m-%Y"}


@dataclass(frozen=True)
class Awkward:
    """How one of the files is laid out."""

    language: str = "en"
    encoding: str = "utf-8"
    delimiter: str = ","
    decimal: str = "."
    thousands: str = ""
    header: bool = True
    days: str = "ymd"
    quote: str = '"'
    quoted: bool = False
    comment: str = ""
    absent: str = ""
    columns: tuple[str, ...] = NAMES
    records: int = RECORDS
    blank_first: int = 0
    line_end: str = "\r\n"
    preamble: tuple[str, ...] = field(default=())

    @property
    def options(self) -> CsvOptions:
        """Everything said, as somebody would who knows the file."""
        return CsvOptions(
            delimiter=self.delimiter,
            encoding=self.encoding,
            header=self.header,
            decimal=self.decimal,
            thousands=self.thousands,
            quote=self.quote,
            comment=self.comment,
            dates={"dots": "dmy", "dashes": "dmy"}.get(self.days, self.days),
        )

    def meant(self) -> dict[str, list[str | None]]:
        """The cells in plain form, by column."""
        names = self.columns if self.header else tuple(f"c{i}" for i in range(1, len(self.columns) + 1))
        rows = [[self._plain(name, value) for name, value in row.items()] for row in self._rows()]
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))

    def content(self) -> bytes:
        text = io.StringIO()
        text.write("\n" * self.blank_first)
        text.writelines(f"{self.comment} {line}\n" for line in self.preamble)
        how = csv.QUOTE_ALL if self.quoted else csv.QUOTE_MINIMAL
        writer = csv.writer(
            text, delimiter=self.delimiter, quotechar=self.quote, quoting=how, lineterminator="\n"
        )
        if self.header:
            writer.writerow(self.columns)
        for row in self._rows():
            writer.writerow([self._shown(name, value) for name, value in row.items()])
        return text.getvalue().replace("\n", self.line_end).encode(self.encoding)

    def _rows(self):
        rng = np.random.default_rng(len(self.language) + self.records)
        places = islice(cycle(PLACES[self.language]), self.records)
        remarks = islice(cycle(REMARKS[self.language]), self.records)
        for place, remark in zip(places, remarks, strict=True):
            born = datetime.date(1935, 1, 1) + datetime.timedelta(int(rng.integers(0, 26_000)))
            everything = {
                "code": f"{rng.integers(1, 99_999):05}",
                "place": place,
                "age": int(rng.integers(0, 98)),
                "amount": round(float(rng.lognormal(7, 1.2)), 2),
                "people": int(rng.lognormal(11, 2)),
                "day": born,
                "sex": int(rng.integers(1, 3)),
                "remark": remark,
                "score": round(float(rng.uniform(0, 1)), 3),
            }
            gone = {"age", "amount"} if rng.random() < 0.05 else set()
            yield {name: None if name in gone else everything[name] for name in self.columns}

    def _plain(self, name, value):
        if value is None or value == "":
            return self.absent or None if value is None else None
        return f"{value:.2f}" if name == "amount" else f"{value:.3f}" if name == "score" else str(value)

    def _shown(self, name, value):
        if value is None:
            return self.absent
        if isinstance(value, datetime.date):
            return f"{value:{DAYS[self.days]}}"
        if name in ("amount", "score", "people"):
            form = {"amount": ",.2f", "score": ",.3f", "people": ",d"}[name]
            marks = {",": self.thousands, ".": self.decimal}
            return "".join(marks.get(mark, mark) for mark in format(value, form))
        return str(value)


NO_REMARK = NAMES[:-1]
NUMBERS = ("age", "amount", "people", "sex", "score")
A = Awkward
FILES: dict[str, Awkward] = {
    # encodings
    "plain": A(),
    "utf-8 with accents": A("fr"),
    "utf-8 with a mark": A("es", "utf-8-sig"),
    "utf-16": A("de", "utf-16"),
    "utf-16 with tabs, from a spreadsheet": A("it", "utf-16", "\t", ","),
    "latin-1 German": A("de", "latin-1"),
    "latin-1 French": A("fr", "latin-1"),
    "latin-1 Spanish": A("es", "latin-1"),
    "latin-1 Italian": A("it", "latin-1"),
    "cp1252 German": A("de", "cp1252", ";", ","),
    "cp1252 French": A("fr", "cp1252", ";", ",", days="dmy"),
    "iso-8859-15 Spanish": A("es", "iso-8859-15", ";", ","),
    "cp1250 Polish": A("pl", "cp1250", ";", ","),
    "cp1250 Czech": A("cs", "cp1250", ";", ",", days="dots"),
    "iso-8859-2 Polish": A("pl", "iso-8859-2", ";", ","),
    "cp850 German, from DOS": A("de", "cp850", ";", ",", days="dots"),
    "Macintosh French": A("fr", "mac_roman", ";", ","),
    "cp1251 Russian": A("ru", "cp1251", ";", ","),
    "koi8-r Russian": A("ru", "koi8-r", ";", ","),
    "cp1253 Greek": A("el", "cp1253", ";", ","),
    "Shift-JIS": A("ja", "shift_jis"),
    "EUC-JP": A("ja", "euc_jp"),
    # delimiters and decimals
    "semicolons": A(delimiter=";"),
    "tabs": A(delimiter="\t"),
    "bars": A(delimiter="|"),
    "colons": A(delimiter=":", columns=NO_REMARK),
    "spaces": A(delimiter=" ", columns=("code", "age", "amount", "day", "sex")),
    "carets": A(delimiter="^"),
    "semicolons and decimal commas": A("de", delimiter=";", decimal=","),
    "tabs and decimal commas": A("fr", delimiter="\t", decimal=","),
    "bars and decimal commas": A("it", delimiter="|", decimal=","),
    "commas for both, in quotes": A("es", decimal=",", columns=NO_REMARK, quoted=True),
    "points for thousands": A("de", delimiter=";", decimal=",", thousands="."),
    "points for thousands, latin-1": A("es", "latin-1", ";", ",", "."),
    "commas for thousands": A(thousands=","),
    "commas for thousands, tabs": A(delimiter="\t", thousands=","),
    "blanks for thousands": A("fr", delimiter=";", decimal=",", thousands=" "),
    "narrow blanks for thousands": A("fr", delimiter=";", decimal=",", thousands="\u202f"),
    "hard blanks for thousands, latin-1": A("fr", "latin-1", ";", ",", "\xa0"),
    "apostrophes for thousands": A("de", delimiter=";", thousands="'"),
    "numbers only, decimal commas": A(delimiter=";", decimal=",", columns=NUMBERS),
    "scores of three decimals": A(delimiter=";", decimal=",", columns=("sex", "score", "age")),
    # headers
    "no header": A(header=False),
    "no header, latin-1, decimal commas": A("de", "latin-1", ";", ",", header=False),
    "no header, numbers only": A(header=False, columns=NUMBERS),
    "no header, texts only": A("it", header=False, columns=("place", "remark")),
    "header over texts only": A("it", columns=("place", "remark")),
    "comments before the header": A(comment="#", preamble=("made by the survey", "version 3, of May")),
    "comments, semicolons": A("es", "latin-1", ";", ",", comment="#", preamble=("encuesta; año 2021",)),
    "empty lines before the header": A("fr", delimiter=";", decimal=",", blank_first=3),
    # quotes, line ends, days, codes
    "single quotes": A(quote="'", quoted=True),
    "everything in quotes": A("de", "latin-1", ";", ",", quoted=True, days="dots"),
    "lines end as on old Macintoshes": A("fr", "latin-1", ";", ",", line_end="\r"),
    "lines end as on Unix": A("es", line_end="\n", days="dmy"),
    "American days": A(days="mdy"),
    "British days": A(days="dmy"),
    "German days": A("de", "latin-1", ";", ",", days="dots"),
    "days with dashes": A("it", "cp1252", ";", ",", days="dashes"),
    "NA for what is missing": A(delimiter=";", absent="NA"),
    "a point for what is missing, decimal commas": A("de", "latin-1", ";", ",", absent="."),
}
