"""What the project promises, as measurements; see tools/accept."""
