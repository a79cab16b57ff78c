"""Running a program under the recorder."""
