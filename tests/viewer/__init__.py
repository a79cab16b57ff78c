"""The page of heapstory view, in real browsers, against what the commands say of the same trace."""
