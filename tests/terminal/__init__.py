"""``heapstory view --tui``, pressed key by key, against what the other commands say."""
