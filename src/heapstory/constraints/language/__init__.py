"""The constraint language: from text to the parts it is written in; knows no trace and no plan."""
