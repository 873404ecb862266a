"""How records are linked: by distance, by agreement, by rank; what attacks and measures of linkage share."""
