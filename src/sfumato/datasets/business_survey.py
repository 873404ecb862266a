"""Business survey: generated accounts of firms, 13 strongly dependent and skewed numeric attributes."""

import numpy as np

from sfumato.core import stream
from sfumato.data import Attribute, Schema, Table
from sfumato.datasets._attributes import number
from sfumato.datasets._random_columns import checked_size

LABELS = {
    "staff": "people employed, in full-time equivalents",
    "fixed_assets": "fixed assets",
    "current_assets": "current assets",
    "cash": "cash",
    "equity": "equity; negative where debts exceed assets",
    "short_term_debt": "debt due within a year",
    "long_term_debt": "debt due later",
    "turnover": "turnover",
    "wages": "wages and social contributions",
    "purchases": "purchases of goods and services",
    "depreciation": "depreciation",
    "investment": "investment",
    "profit": "profit before tax; negative where there is a loss",
}
SIGNED = ("equity", "profit")
LARGEST = 1e12


def business_survey(n: int = 1000, *, seed: int = 0) -> Table:
    """Firms with their accounts in thousands, every attribute a key.

    Sizes are log-normal; staff, turnover and wages go together, as turnover, purchases and profit do. Some
    firms have no staff, no cash, no long-term debt or no investment, some make a loss.

    >>> firms = business_survey(500, seed=1)
    >>> firms
    Table(500 records × 13 attributes)
    >>> bool(np.corrcoef(firms["staff"], firms["wages"])[0, 1] > 0.8)
    True
    """
    n = checked_size("business_survey", n)
    attributes = {name: _attribute(name) for name in LABELS}
    columns = {name: attributes[name].conform(values) for name, values in _accounts(n, seed).items()}
    return Table(Schema(attributes.values()), columns)


def _attribute(name: str) -> Attribute:
    label = LABELS[name] if name == "staff" else f"{LABELS[name]} (thousands)"
    return number(name, label, low=-LARGEST if name in SIGNED else 0.0, high=LARGEST)


def _accounts(n: int, seed: int) -> dict[str, np.ndarray]:
    def spread(purpose: str, sigma: float) -> np.ndarray:
        return np.exp(sigma * stream(seed, "business_survey", purpose).standard_normal(n))

    def struck(purpose: str, chance: np.ndarray | float) -> np.ndarray:
        return stream(seed, "business_survey", purpose).random(n) < chance

    size = spread("size", 1.4)
    capital = spread("capital intensity", 0.7)
    staff = np.round(8 * size * spread("staff", 0.3) / capital**0.3)
    turnover = 1500 * size * capital**0.2 * spread("turnover", 0.35)
    wages = 42 * staff * spread("wages", 0.15)
    fixed_assets = 700 * size * capital * spread("fixed assets", 0.5)
    current_assets = 0.45 * turnover * spread("current assets", 0.4)
    cash = 0.12 * current_assets * spread("cash", 0.9) * ~struck("no cash", 0.04)
    assets = fixed_assets + current_assets
    provisions = 0.1 * assets * spread("provisions", 0.6)
    short_term_debt = 0.5 * current_assets * spread("short-term debt", 0.6)
    long_term_debt = 0.35 * fixed_assets * spread("long-term debt", 0.7) * ~struck("no debt", 0.3)
    depreciation = 0.09 * fixed_assets * spread("depreciation", 0.3)
    # small firms invest in some years only
    investment = (
        1.2 * depreciation * spread("investment", 0.9) * struck("invests", 0.35 + 0.6 * size / (1 + size))
    )
    margin = 0.06 + 0.09 * stream(seed, "business_survey", "margin").standard_normal(n)
    purchases = np.maximum(turnover * (1 - margin) - wages - depreciation, 0.05 * turnover)
    interest = 0.04 * (short_term_debt + long_term_debt) * spread("interest", 0.3)
    return {
        "staff": staff,
        "fixed_assets": fixed_assets,
        "current_assets": current_assets,
        "cash": cash,
        "equity": assets - short_term_debt - long_term_debt - provisions,
        "short_term_debt": short_term_debt,
        "long_term_debt": long_term_debt,
        "turnover": turnover,
        "wages": wages,
        "purchases": purchases,
        "depreciation": depreciation,
        "investment": investment,
        "profit": turnover - purchases - wages - depreciation - interest,
    }
