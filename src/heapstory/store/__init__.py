"""A trace opened: its files, symbols, time and tables. Knows the native core and no other room."""
