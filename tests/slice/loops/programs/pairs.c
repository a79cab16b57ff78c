/* Loads of a persistent log that need each other: the header says where records are, and a record
   whether its successor is looked at. */
struct record {
    int live;
    int next;
};
struct log {
    int first;
    int version;
    struct record records[8];
} log_area = {2, 7, {{1, 0}, {0, 4}, {1, 5}, {0, 0}, {0, 0}, {0, 3}}};
int result;

int main(void) {
    int index = log_area.first;
    int version = log_area.version;
    if (log_area.records[index].live)
        index = log_area.records[index].next;
    result = index + version;
    return 0;
}
