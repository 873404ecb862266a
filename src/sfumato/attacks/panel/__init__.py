"""The panel of attackers of `people_found`: what one who knows people's records can try on a release."""
