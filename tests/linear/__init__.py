LONG = 3_600.0  # seconds: a time limit that a busy machine does not reach either
