"""Page rank of a directed graph by power iteration, on lists, dictionaries and small objects."""

import sys


class Page:
    __slots__ = ("links", "name", "rank")

    def __init__(self, name):
        self.name = name
        self.links = []
        self.rank = 0.0


def read(path):
    with open(path) as file:  # noqa: PTH123 - the benchmark measures this program, not pathlib
        count = int(file.readline().split()[0])
        pages = {number: Page(f"page{number}") for number in range(count)}
        for line in file:
            source, target = map(int, line.split())
            pages[source].links.append(pages[target])
    return pages


def step(pages, damping):
    incoming = {page.name: 0.0 for page in pages.values()}
    dangling = 0.0
    for page in pages.values():
        if page.links:
            share = page.rank / len(page.links)
            for target in page.links:
                incoming[target.name] += share
        else:
            dangling += page.rank
    rest = (1.0 - damping + damping * dangling) / len(pages)
    change = 0.0
    for page in pages.values():
        rank = rest + damping * incoming[page.name]
        change += abs(rank - page.rank)
        page.rank = rank
    return change


def main():
    pages = read(sys.argv[1])
    for page in pages.values():
        page.rank = 1.0 / len(pages)
    for _ in range(int(sys.argv[2])):
        change = step(pages, 0.85)
    best = sorted(pages.values(), key=lambda page: (-page.rank, page.name))[:10]
    for page in best:
        print(f"{page.name} {page.rank:.6f}")
    print(f"{change:.3e}")


main()
