// The implementation behind ElfFile. Internal to symbols/.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/elf/symtab.h"
#include "symbols/receiver/receiver.h"
#include "symbols/types/types.h"

namespace heapstory {

class ElfFileReader final : public ElfFile {
  public:
    ElfFileReader(const std::string &path, TypeTable &types);
    ~ElfFileReader() override;

    std::string build_id() const override;
    std::vector<Segment> segments() const override;
    bool has_debug_info() override;
    std::vector<Place> places(uint64_t address) override;
    std::vector<Place> begun(uint64_t address) override;
    std::vector<LocalVariable> locals(uint64_t address) override;
    std::optional<FrameAddress> frame_address(uint64_t address) override;
    std::vector<uint8_t> bytes(uint64_t address, uint64_t count) override;
    std::optional<Function> function(uint64_t address) override;
    std::vector<Variable> variables() override;
    TypeId pointee_of_receiver(uint64_t return_address, const Receiver &receiver) override;
    bool may_hand_on(uint64_t address) override;
    std::vector<SourceFolder> source_folders() override;

    // See code_types.h.
    StoredTypes types_of_store(uint64_t instruction);
    TypeId type_of_result(uint64_t return_address);
    TypeId type_of_allocator(uint64_t call);
    TypeId type_of_vtable(uint64_t address);

  private:
    void find_debug();
    bool readable(); // debug information is there and its file unchanged
    const SymbolTables &symbols();
    ReceiverFinder receiver_finder();

    ElfImage image_;
    std::unique_ptr<ElfImage> debug_; // separate debug file
    bool debug_searched_ = false, symbols_read_ = false;
    Dwarf *dwarf_ = nullptr;
    std::unique_ptr<Units> units_;
    const std::vector<Variable> &all_variables();

    SymbolTables symbols_;
    TypeTable &table_;
    std::unique_ptr<TypeReader> types_;
    std::unique_ptr<Frames> frames_;
    std::optional<std::vector<Variable>> variables_;
};

} // namespace heapstory
