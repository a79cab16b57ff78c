"""Some months of a small shop as SQL: customers, stock, orders, changes, and reports on them.
Prices are whole numbers: Valgrind computes long doubles in 64 bits, so that SQLite prints some sums
of fractions differently under it."""

from pathlib import Path

from benchmarks.programs.words import Writer

_SCHEMA = """
PRAGMA journal_mode = MEMORY;
PRAGMA synchronous = OFF;
PRAGMA cache_size = 4000;
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT, note TEXT);
CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT UNIQUE, cents INTEGER, stock INTEGER);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer, day INTEGER,
  state TEXT);
CREATE TABLE line (purchase INTEGER REFERENCES purchase, product INTEGER REFERENCES product,
  amount INTEGER, PRIMARY KEY (purchase, product)) WITHOUT ROWID;
CREATE INDEX customer_city ON customer (city, name);
CREATE INDEX purchase_customer ON purchase (customer, day);
CREATE INDEX line_product ON line (product);
CREATE TRIGGER sold AFTER INSERT ON line BEGIN
  UPDATE product SET stock = stock - new.amount WHERE id = new.product;
END;
"""

_REPORTS = [
    "SELECT city, count(*), sum(amount * cents) FROM customer"
    " JOIN purchase ON customer.id = customer JOIN line ON purchase.id = purchase"
    " JOIN product ON product.id = product"
    " WHERE day BETWEEN {day} - 3 AND {day} GROUP BY city ORDER BY 3 DESC LIMIT 5;",
    "SELECT product.name, sum(amount) AS sold FROM line JOIN product ON product.id = product"
    " GROUP BY product HAVING sold > 3 ORDER BY sold DESC, name LIMIT 10;",
    "WITH ranked AS (SELECT customer, day, row_number() OVER (PARTITION BY customer ORDER BY day"
    " DESC) AS place FROM purchase) SELECT count(*) FROM ranked WHERE place = 1 AND day < {day};",
    "SELECT substr(note, 1, 12), count(*) FROM customer WHERE note LIKE '%{word}%' GROUP BY 1;",
    "SELECT count(DISTINCT product) FROM line WHERE purchase IN"
    " (SELECT id FROM purchase WHERE state = 'open' AND day > {day} - 9);",
]


def write(path: Path, seed: int, days: int, customers: int = 12000, products: int = 4000) -> None:
    writer = Writer(seed)
    script = [_SCHEMA, "BEGIN;"]
    for number in range(customers):
        name, city = writer.word().title(), writer.vocabulary[writer.number(60)].title()
        script.append(
            f"INSERT INTO customer VALUES ({number}, '{name}', '{city}', '{writer.sentence()}');"
        )
    for number in range(products):
        cents = writer.number(9000)
        script.append(
            f"INSERT INTO product VALUES ({number}, '{writer.word()} {number}', {cents}, 5000);"
        )
    script.append("COMMIT;")
    purchase = 0
    for day in range(days):
        script.append("BEGIN;")
        for _ in range(120):
            script += _purchase(writer, purchase, day, customers, products)
            purchase += 1
        script += _changes(writer, purchase, day, customers)
        script += ["COMMIT;", *(report.format(day=day, word=writer.word()) for report in _REPORTS)]
    script.append("PRAGMA integrity_check;")
    path.write_text("\n".join(script) + "\n")


def _purchase(writer: Writer, number: int, day: int, customers: int, products: int) -> list[str]:
    customer = writer.number(customers)
    lines = [f"INSERT INTO purchase VALUES ({number}, {customer}, {day}, 'open');"]
    for _ in range(1 + writer.number(6)):
        product, amount = writer.number(products), 1 + writer.number(5)
        lines.append(f"INSERT OR REPLACE INTO line VALUES ({number}, {product}, {amount});")
    return lines


def _changes(writer: Writer, purchases: int, day: int, customers: int) -> list[str]:
    changed = [
        f"UPDATE purchase SET state = 'sent' WHERE id = {writer.number(purchases)};"
        for _ in range(90)
    ]
    changed += [
        f"UPDATE customer SET note = '{writer.sentence()}' WHERE id = {writer.number(customers)};"
        for _ in range(20)
    ]
    return [
        *changed,
        f"DELETE FROM line WHERE purchase IN (SELECT id FROM purchase WHERE day = {day} - 60);",
        f"DELETE FROM purchase WHERE day = {day} - 60;",
        "UPDATE product SET stock = stock + 500 WHERE stock < 100;",
    ]
