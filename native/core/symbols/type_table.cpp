// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf_file.h"
namespace heapstory {
struct TypeTable::Impl {
    std::deque<Type> types;
};
TypeTable::TypeTable() : impl_(std::make_unique<Impl>()) {}
TypeTable::~TypeTable() = default;
const Type &TypeTable::operator[](TypeId id) const {
    return impl_->types.at(id - 1);
}
size_t TypeTable::size() const {
    return impl_->types.size();
}
TypeId TypeTable::add(Type type) {
    impl_->types.push_back(std::move(type));
    return static_cast<TypeId>(impl_->types.size());
}
TypeId TypeTable::find(std::string_view name) const {
    for (size_t i = 0; i < impl_->types.size(); ++i)
        if (impl_->types[i].name == name)
            return static_cast<TypeId>(i + 1);
    return no_type;
}
std::vector<Variable> ElfFileReader::variables() {
    std::vector<Variable> variables;
    for (const Symbol &symbol : symbols().objects())
        variables.push_back({symbol.name, symbol.address, symbol.size, no_type});
    return variables;
}
TypeId ElfFileReader::pointee_of_receiver(uint64_t, const Receiver &) {
    (void)types_;
    return no_type;
}
} // namespace heapstory
