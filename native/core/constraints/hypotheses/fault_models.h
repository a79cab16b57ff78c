// Fault models: each knows one way in which an operation may have gone wrong, and supposes what it
// would have done otherwise.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/hypotheses/candidate_values.h"

#include <optional>
#include <span>
#include <vector>

namespace heapstory::constraints {

class FaultModel {
  public:
    explicit FaultModel(const Situation &at) : at_(at), line_(at.line()), values_(at) {}
    virtual ~FaultModel() = default;
    virtual void suppose(Hypotheses &out) const = 0;

  protected:
    const Situation &at_;
    const Timeline &line_;
    CandidateValues values_;
};

// The operation stored a wrong value, and the right one is at hand. For each field one hypothesis
// leaves the value open: it tells for which ones a wider search is worthwhile.
class WrongValue final : public FaultModel {
  public:
    using FaultModel::FaultModel;
    void suppose(Hypotheses &out) const override;
};

// The same for some fields, with values from all over the structure: all objects, or the numbers
// that the same field of others has and those next to them.
class FarValue final : public FaultModel {
  public:
    FarValue(const Situation &at, std::vector<uint32_t> cells)
        : FaultModel(at), cells_(std::move(cells)) {}
    void suppose(Hypotheses &out) const override;

  private:
    std::vector<uint32_t> cells_;
};

// One statement wrote several fields and mixed up their values.
class MixedUpValues final : public FaultModel {
  public:
    using FaultModel::FaultModel;
    void suppose(Hypotheses &out) const override;

  private:
    void suppose(std::span<const uint32_t> cells, Hypotheses &out) const;
};

// The value was meant for another field of the same object; the field that it was stored in then
// holds what it held before, or what the other one holds.
class WrongField final : public FaultModel {
  public:
    using FaultModel::FaultModel;
    void suppose(Hypotheses &out) const override;
};

// A block was freed too early.
class EarlyFree final : public FaultModel {
  public:
    using FaultModel::FaultModel;
    void suppose(Hypotheses &out) const override;

  private:
    std::vector<uint32_t> cells_into(std::span<const uint32_t> blocks) const;
    std::optional<Version> revived(const Version *version, uint32_t block) const;
    void suppose(uint32_t block, const std::vector<uint32_t> &leading, Hypotheses &out) const;
    void suppose_rewritten(const Hypothesis &revived, uint32_t block, Hypotheses &out) const;
};

// A field was not written, or not since the object was made that it should lead to: the write may
// have been forgotten. The last one of its object stands for it, or where nothing of that was
// written, that of the object it should lead to.
class Omission final : public FaultModel {
  public:
    using FaultModel::FaultModel;
    void suppose(Hypotheses &out) const override;

  private:
    void suppose(uint32_t cell, uint64_t last, Hypotheses &out) const;
};

// The rest of the operation read the wrong value and computed by it: the numbers that were written
// after it are left open. That alone must not be enough.
class DerivedValue final : public FaultModel {
  public:
    using FaultModel::FaultModel;
    void suppose(Hypotheses &out) const override;
};

// The rest of the operation followed the wrong pointer: by it the operation chooses what it does
// next, and where it writes. So one of the stores after it may belong into a field of the object
// that the pointer should have led to, and where it went there is what was there before.
class FollowedPointer final : public FaultModel {
  public:
    using FaultModel::FaultModel;
    void suppose(Hypotheses &out) const override;

  private:
    void suppose(uint32_t cell, uint32_t later, Hypotheses &out) const;
};

} // namespace heapstory::constraints
