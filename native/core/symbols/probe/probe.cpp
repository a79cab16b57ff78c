// Test helper: asks questions of ELF files and answers in JSON, a line per question.
// SPDX-License-Identifier: GPL-2.0-or-later
//
//   symbols_probe FILE ... < questions
//
// The files share one table of types; questions go to the first until "file NUMBER" says otherwise.
// Questions: "info", "places ADDR", "function ADDR", "variables", "type NAME", "types",
// "demangle NAME", "receiver ADDR memory|register|global REG OFFSET|ADDR" (addresses in hex).
#include "symbols/elf/demangle.h"
#include "symbols/symbols.h"

#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>

using namespace heapstory;

namespace {

std::string quoted(const std::string &text) {
    std::string result = "\"";
    for (unsigned char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        if (c < 32 || c > 126) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", c);
            result += code;
        } else {
            result += static_cast<char>(c);
        }
    }
    return result + '"';
}

void print_info(ElfFile &file) {
    std::cout << "{\"build_id\":" << quoted(file.build_id())
              << ",\"debug\":" << (file.has_debug_info() ? "true" : "false") << ",\"segments\":[";
    const char *comma = "";
    for (const Segment &s : file.segments()) {
        std::cout << comma << "[" << s.offset << "," << s.address << "," << s.file_size << ","
                  << s.memory_size << "," << s.writable << "," << s.executable << "]";
        comma = ",";
    }
    std::cout << "]}\n";
}

void print_places(ElfFile &file, uint64_t address) {
    std::cout << "[";
    const char *comma = "";
    for (const Place &place : file.places(address)) {
        std::cout << comma << "[" << quoted(place.function) << "," << quoted(place.path) << ","
                  << place.line << "]";
        comma = ",";
    }
    std::cout << "]\n";
}

void print_function(ElfFile &file, uint64_t address) {
    auto found = file.function(address);
    if (!found)
        std::cout << "null\n";
    else
        std::cout << "[" << quoted(found->name) << "," << found->address << "," << found->size
                  << "]\n";
}

void print_variables(ElfFile &file, const TypeTable &types) {
    std::cout << "[";
    const char *comma = "";
    for (const Variable &v : file.variables()) {
        std::cout << comma << "[" << quoted(v.name) << "," << v.address << "," << v.size << ","
                  << (v.type ? quoted(types[v.type].name) : "null") << "," << v.type << "]";
        comma = ",";
    }
    std::cout << "]\n";
}

void print_type(const TypeTable &types, TypeId id) {
    if (id == no_type) {
        std::cout << "null\n";
        return;
    }
    const Type &type = types[id];
    std::cout << "{\"id\":" << id << ",\"name\":" << quoted(type.name)
              << ",\"kind\":" << static_cast<int>(type.kind) << ",\"size\":" << type.size
              << ",\"target\":" << type.target << ",\"count\":" << type.count
              << ",\"union\":" << type.is_union << ",\"signed\":" << type.is_signed
              << ",\"float\":" << type.is_float << ",\"char\":" << type.is_char << ",\"fields\":[";
    const char *comma = "";
    for (const Field &f : type.fields) {
        std::cout << comma << "[" << quoted(f.name) << "," << f.offset << "," << f.size << ","
                  << (f.type ? quoted(types[f.type].name) : "null") << "," << f.type << ","
                  << int(f.bit_offset) << "," << int(f.bit_size) << "," << f.base_class << "]";
        comma = ",";
    }
    std::cout << "]}\n";
}

void print_receiver(ElfFile &file, const TypeTable &types, std::istream &words) {
    uint64_t address = 0;
    std::string kind;
    words >> std::hex >> address >> kind >> std::dec;
    Receiver receiver{Receiver::Kind::global};
    int reg = 0;
    if (kind == "global") {
        words >> std::hex >> receiver.address;
    } else {
        words >> reg >> receiver.offset;
        receiver.kind = kind == "memory" ? Receiver::Kind::memory : Receiver::Kind::register_;
    }
    receiver.reg = static_cast<uint8_t>(reg);
    print_type(types, file.pointee_of_receiver(address, receiver));
}

void answer(ElfFile &file, TypeTable &types, const std::string &line) {
    std::istringstream words(line);
    std::string verb;
    uint64_t address = 0;
    words >> verb;
    if (verb == "places" || verb == "function")
        words >> std::hex >> address;
    if (verb == "info") {
        print_info(file);
    } else if (verb == "places") {
        print_places(file, address);
    } else if (verb == "function") {
        print_function(file, address);
    } else if (verb == "variables") {
        print_variables(file, types);
    } else if (verb == "type") {
        std::string name;
        std::getline(words >> std::ws, name);
        bool number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
        print_type(types, number ? static_cast<TypeId>(std::stoul(name)) : types.find(name));
    } else if (verb == "demangle") {
        std::string name;
        words >> name;
        std::cout << quoted(demangle(name.c_str())) << "\n";
    } else if (verb == "types") {
        std::cout << types.size() << "\n";
    } else if (verb == "receiver") {
        print_receiver(file, types, words);
    } else {
        std::cout << "null\n";
    }
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2) {
        std::cerr << "usage: symbols_probe FILE ... < questions\n";
        return 2;
    }
    try {
        TypeTable types;
        std::vector<std::unique_ptr<ElfFile>> files;
        for (int i = 1; i < argc; ++i)
            files.push_back(ElfFile::open(argv[i], types));
        size_t current = 0;
        for (std::string line; std::getline(std::cin, line); std::cout.flush()) {
            if (line.compare(0, 5, "file ") == 0)
                current = std::stoul(line.substr(5));
            else
                answer(*files.at(current), types, line);
        }
    } catch (const std::exception &error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
    return 0;
}
