// A stack whose operations lock again what they hold.
#include <mutex>
#include <vector>

class Stack {
  public:
    void push(int value) {
        std::lock_guard<std::recursive_mutex> guard(mutex_);
        if (empty())
            values_.clear();
        values_.push_back(value);
    }
    bool pop(int &value) {
        std::lock_guard<std::recursive_mutex> guard(mutex_);
        if (empty())
            return false;
        value = values_.back();
        values_.pop_back();
        return true;
    }
    bool empty() {
        std::lock_guard<std::recursive_mutex> guard(mutex_);
        return values_.empty();
    }

  private:
    std::recursive_mutex mutex_;
    std::vector<int> values_;
};
