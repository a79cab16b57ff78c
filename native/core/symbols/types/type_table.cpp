// The table of types that all modules of a trace share.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/types/types.h"

#include <stdexcept>

namespace heapstory {

TypeTable::TypeTable() : impl_(std::make_unique<Impl>()) {}

TypeTable::~TypeTable() = default;

const Type &TypeTable::operator[](TypeId id) const {
    if (id == no_type || id > impl_->types.size())
        throw std::out_of_range("no such type");
    return impl_->types[id - 1];
}

size_t TypeTable::size() const {
    return impl_->types.size();
}

TypeId TypeTable::add(Type type) {
    std::string key = impl_->key_of(type);
    if (type.kind != TypeKind::record)
        return impl_->insert(std::move(type), key);
    bool fresh = false;
    TypeId id = impl_->define(type, key, &fresh);
    if (fresh)
        impl_->types[id - 1] = std::move(type);
    return id;
}

TypeId TypeTable::find(std::string_view name) const {
    std::string text(name);
    auto complete = impl_->definitions.find(text);
    if (complete != impl_->definitions.end() && complete->second != no_type)
        return complete->second;
    auto found = impl_->by_name.find(text);
    return found == impl_->by_name.end() ? no_type : found->second;
}

TypeId TypeTable::Impl::insert(Type type, const std::string &key) {
    auto [entry, fresh] = by_key.try_emplace(key);
    if (fresh) {
        entry->second = static_cast<TypeId>(types.size() + 1);
        by_name.try_emplace(type.name, entry->second);
        types.push_back(std::move(type));
    }
    return entry->second;
}

TypeId TypeTable::Impl::define(Type type, const std::string &key, bool *fresh) {
    *fresh = by_key.find(key) == by_key.end();
    if (!*fresh)
        return by_key[key];
    std::string name = type.name;
    TypeId id = no_type;
    if (auto declared = incomplete.find(name); declared != incomplete.end()) {
        id = declared->second;
        incomplete.erase(declared);
        types[id - 1] = std::move(type);
        by_key.emplace(key, id);
    } else {
        id = insert(std::move(type), key);
    }
    auto [entry, first] = definitions.try_emplace(name, id);
    if (!first)
        entry->second = no_type;
    return id;
}

TypeId TypeTable::Impl::declare(Type type) {
    auto complete = definitions.find(type.name);
    if (complete != definitions.end() && complete->second != no_type)
        return complete->second;
    auto [entry, fresh] = incomplete.try_emplace(type.name);
    if (fresh) {
        ++declarations;
        entry->second = static_cast<TypeId>(types.size() + 1);
        by_name.try_emplace(type.name, entry->second);
        types.push_back(std::move(type));
    }
    return entry->second;
}

// For types that somebody else made; the same text as TypeReader writes, except that anonymous
// records are told apart by their id.
std::string TypeTable::Impl::key_of(const Type &type) const {
    auto label = [&](TypeId id) {
        return id == no_type || id > types.size() ? std::string("void") : types[id - 1].name;
    };
    std::string key = std::to_string(static_cast<int>(type.kind)) + '|' + type.name + '|' +
                      std::to_string(type.size) + '|';
    if (type.kind == TypeKind::pointer || type.kind == TypeKind::array)
        return key + std::to_string(type.target) + '|' + std::to_string(type.count);
    for (const Field &f : type.fields)
        key += f.name + ':' + std::to_string(f.offset) + ':' + std::to_string(f.bit_offset) + ':' +
               std::to_string(f.bit_size) + ':' + label(f.type) + ';';
    return key;
}

} // namespace heapstory
