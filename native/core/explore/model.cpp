// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/model.h"

#include "explore/canonical.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace heapstory::explore {
namespace {

constexpr int32_t empty = -2;

class Builtin : public Model {
  public:
    explicit Builtin(Type type) : type_(type) {}

    Words initial() override {
        switch (type_) {
        case Type::one_register:
        case Type::counter:
            return {0};
        case Type::snapshot:
            return {0, 0};
        default:
            return {};
        }
    }

    const std::vector<Response> &apply(const Words &state, int32_t method,
                                       std::span<const int32_t> arguments, int32_t) override {
        found_.assign(1, {true, {}, state});
        Response &one = found_[0];
        switch (type_) {
        case Type::queue:
        case Type::stack:
            line(one, Method(method), arguments);
            break;
        case Type::set:
            keys(one, Method(method), arguments[0]);
            break;
        case Type::snapshot:
            cells(one, Method(method), arguments);
            break;
        default:
            cell(one, Method(method), arguments);
        }
        return found_;
    }

  private:
    void line(Response &one, Method method, std::span<const int32_t> arguments) {
        if (method == Method::insert) {
            one.says = false;
            one.state.push_back(arguments[0]);
        } else if (one.state.empty()) {
            one.answer = {empty};
        } else {
            auto taken = type_ == Type::queue ? one.state.begin() : one.state.end() - 1;
            one.answer = {*taken};
            one.state.erase(taken);
        }
    }

    static void keys(Response &one, Method method, int32_t key) {
        auto at = std::lower_bound(one.state.begin(), one.state.end(), key);
        bool there = at != one.state.end() && *at == key;
        one.answer = {method == Method::insert ? !there : there};
        if (method == Method::insert && !there)
            one.state.insert(at, key);
        else if (method == Method::take && there)
            one.state.erase(at);
    }

    void cells(Response &one, Method method, std::span<const int32_t> arguments) {
        if (method == Method::read) {
            one.answer = one.state;
            return;
        }
        int32_t cell = method == Method::write_1 ? 1 : method == Method::write_2 ? 2 : arguments[0];
        one.says = false;
        if (cell < 1 || cell > int32_t(one.state.size()))
            found_.clear();
        else
            one.state[size_t(cell) - 1] = arguments.back();
    }

    static void cell(Response &one, Method method, std::span<const int32_t> arguments) {
        int32_t &value = one.state[0];
        switch (method) {
        case Method::write:
            one.says = false;
            value = arguments[0];
            break;
        case Method::exchange:
            one.answer = {value == arguments[0]};
            if (value == arguments[0])
                value = arguments[1];
            break;
        default: // read, increment, decrement
            one.answer = {value};
            value += method == Method::increment ? 1 : method == Method::decrement ? -1 : 0;
        }
    }

    Type type_;
    std::vector<Response> found_;
};

// The operations of a program, each run alone from start to end, in every way it can.
class Alone : public Model {
  public:
    Alone(const Program &program, bool uses_id)
        : program_(program), machine_(program), uses_id_(uses_id) {}

    Words initial() override {
        Words words;
        encode_memory(program_, machine_.initial(), words);
        return words;
    }

    const std::vector<Response> &apply(const Words &state, int32_t method,
                                       std::span<const int32_t> arguments, int32_t id) override {
        key_.assign(1, method);
        key_.push_back(uses_id_ ? id : 0);
        key_.insert(key_.end(), arguments.begin(), arguments.end());
        key_.insert(key_.end(), state.begin(), state.end());
        auto known = known_.find(key_);
        if (known == known_.end())
            known = known_.emplace(key_, all(state, method, arguments, id)).first;
        return known->second;
    }

  private:
    struct Run {
        Memory memory;
        Words locals;
        size_t pc;
        bool says;
        Words answer;
    };

    std::vector<Response> all(const Words &state, int32_t method,
                              std::span<const int32_t> arguments, int32_t id) {
        std::vector<Response> found;
        for (const Operation &operation : program_.operations) {
            if (operation.method != method || operation.opaque.size() != arguments.size())
                continue;
            Run first{decode_memory(program_, state), Words(program_.most_locals), 0, false, {}};
            std::copy(arguments.begin(), arguments.end(), first.locals.begin());
            follow(operation, first, id, found);
        }
        return found;
    }

    void follow(const Operation &operation, const Run &first, int32_t id,
                std::vector<Response> &found) {
        std::vector<Run> todo{first};
        std::set<Words> seen; // loops come back to where they were
        while (!todo.empty()) {
            Run run = std::move(todo.back());
            todo.pop_back();
            Words key{int32_t(run.pc), run.says};
            key.insert(key.end(), run.locals.begin(), run.locals.end());
            key.insert(key.end(), run.answer.begin(), run.answer.end());
            encode_raw(program_, run.memory, key);
            if (!seen.insert(key).second)
                continue;
            if (seen.size() > most_runs)
                throw std::length_error("an operation of the model can run in too many ways");
            if (run.pc == operation.steps.size()) {
                found.push_back({run.says && !run.answer.empty(), run.answer, {}});
                encode_memory(program_, run.memory, found.back().state);
                continue;
            }
            step(operation, run, id, todo);
        }
    }

    void step(const Operation &operation, const Run &run, int32_t id, std::vector<Run> &todo) {
        const Step &step = operation.steps[run.pc];
        if (step.loop) {
            todo.push_back(run);
            ++todo.back().pc;
        }
        for (const Words &choice : machine_.choices(run.memory, step)) {
            Run next = run;
            const Outcome &outcome =
                machine_.run(next.memory, {id, next.locals, 0, nullptr}, step, choice);
            if (!outcome.ran)
                continue;
            if (outcome.answered) {
                next.says = true;
                next.answer = outcome.answer;
            }
            next.pc += step.loop ? 0 : 1;
            todo.push_back(std::move(next));
        }
    }

    static constexpr size_t most_runs = 2000;
    const Program &program_;
    Machine machine_;
    bool uses_id_;
    Words key_;
    std::map<Words, std::vector<Response>> known_;
};

} // namespace

std::unique_ptr<Model> model_of(Type type, const Program *program, bool uses_id) {
    if (type == Type::program)
        return std::make_unique<Alone>(*program, uses_id);
    return std::make_unique<Builtin>(type);
}

} // namespace heapstory::explore
