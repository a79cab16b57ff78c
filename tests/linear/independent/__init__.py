"""A second opinion on specifications: it shares no line with `heapstory.linear`."""
