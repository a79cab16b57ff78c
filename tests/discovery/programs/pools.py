# Objects in pymalloc's pools: prints the address and size of blocks that are alive, and how many
# blocks there are in all.
import os
import sys

strings = [f"text number {i}" for i in range(1000)]
tuples = [(i, str(i)) for i in range(1000)]
floats = [i / 7 for i in range(1000)]
# Not every third: pools hold 255 or 510 of them, and the first of each pool would go or stay.
del strings[::4], tuples[::4], floats[::4]
GC = 16  # bytes before an object that the collector of cycles looks at
said = [(id(x), sys.getsizeof(x)) for x in strings + floats]
said += [(id(x) - GC, sys.getsizeof(x) + GC) for x in tuples]
text = "".join(f"node {start:x} {size:x}\n" for start, size in said)
os.write(1, f"{text}blocks {sys.getallocatedblocks():x} 0\n".encode())
os._exit(0)
