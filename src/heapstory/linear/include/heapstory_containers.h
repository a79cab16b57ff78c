/* SPDX-License-Identifier: BSD-3-Clause */
/* What libstdc++ keeps in its library of lists, trees and tables, written plainly: links in the
   same order, but trees that are not balanced and tables that only grow. */
#ifndef HEAPSTORY_CONTAINERS_H
#define HEAPSTORY_CONTAINERS_H

#include <list>
#include <map>
#include <unordered_map>

namespace std {
namespace __detail {

void _List_node_base::_M_hook(_List_node_base *before) noexcept {
    _M_next = before;
    _M_prev = before->_M_prev;
    before->_M_prev->_M_next = this;
    before->_M_prev = this;
}

void _List_node_base::_M_unhook() noexcept {
    _M_prev->_M_next = _M_next;
    _M_next->_M_prev = _M_prev;
}

void _List_node_base::_M_transfer(_List_node_base *first, _List_node_base *last) noexcept {
    if (this == last)
        return;
    _List_node_base *end = last->_M_prev, *before = first->_M_prev;
    before->_M_next = last;
    last->_M_prev = before;
    _M_prev->_M_next = first;
    first->_M_prev = _M_prev;
    end->_M_next = this;
    _M_prev = end;
}

void _List_node_base::swap(_List_node_base &one, _List_node_base &other) noexcept {
    _List_node_base between;
    between._M_next = between._M_prev = &between;
    if (one._M_next != &one)
        between._M_transfer(one._M_next, &one);
    if (other._M_next != &other)
        one._M_transfer(other._M_next, &other);
    if (between._M_next != &between)
        other._M_transfer(between._M_next, &between);
}

size_t _Prime_rehash_policy::_M_next_bkt(size_t wanted) const {
    size_t count = wanted < 13 ? 13 : wanted | 1;
    _M_next_resize = count;
    return count;
}

pair<bool, size_t> _Prime_rehash_policy::_M_need_rehash(size_t buckets, size_t elements,
                                                        size_t more) const {
    if (elements + more <= _M_next_resize)
        return {false, 0};
    size_t wanted = elements + more > 2 * buckets ? elements + more : 2 * buckets;
    return {true, _M_next_bkt(wanted)};
}

} // namespace __detail

_Rb_tree_node_base *_Rb_tree_increment(_Rb_tree_node_base *at) noexcept {
    if (at->_M_right) {
        at = at->_M_right;
        while (at->_M_left)
            at = at->_M_left;
        return at;
    }
    _Rb_tree_node_base *above = at->_M_parent;
    while (at == above->_M_right) {
        at = above;
        above = above->_M_parent;
    }
    return at->_M_right != above ? above : at;
}

_Rb_tree_node_base *_Rb_tree_decrement(_Rb_tree_node_base *at) noexcept {
    if (at->_M_color == _S_red && at->_M_parent->_M_parent == at) // the end
        return at->_M_right;
    if (at->_M_left) {
        at = at->_M_left;
        while (at->_M_right)
            at = at->_M_right;
        return at;
    }
    _Rb_tree_node_base *above = at->_M_parent;
    while (at == above->_M_left) {
        at = above;
        above = above->_M_parent;
    }
    return above;
}

const _Rb_tree_node_base *_Rb_tree_increment(const _Rb_tree_node_base *at) noexcept {
    return _Rb_tree_increment(const_cast<_Rb_tree_node_base *>(at));
}

const _Rb_tree_node_base *_Rb_tree_decrement(const _Rb_tree_node_base *at) noexcept {
    return _Rb_tree_decrement(const_cast<_Rb_tree_node_base *>(at));
}

void _Rb_tree_insert_and_rebalance(const bool left, _Rb_tree_node_base *made,
                                   _Rb_tree_node_base *above,
                                   _Rb_tree_node_base &header) noexcept {
    made->_M_parent = above;
    made->_M_left = made->_M_right = nullptr;
    made->_M_color = _S_black;
    if (above == &header) {
        header._M_parent = header._M_left = header._M_right = made;
    } else if (left) {
        above->_M_left = made;
        if (above == header._M_left)
            header._M_left = made;
    } else {
        above->_M_right = made;
        if (above == header._M_right)
            header._M_right = made;
    }
}

_Rb_tree_node_base *_Rb_tree_rebalance_for_erase(_Rb_tree_node_base *const gone,
                                                 _Rb_tree_node_base &header) noexcept {
    _Rb_tree_node_base *next = _Rb_tree_increment(gone), *before = nullptr;
    if (gone == header._M_right && gone != header._M_left)
        before = _Rb_tree_decrement(gone);
    _Rb_tree_node_base *instead = gone->_M_left ? gone->_M_left : gone->_M_right;
    if (gone->_M_left && gone->_M_right) { // the next one, which has nothing on its left
        instead = next;
        if (next->_M_parent != gone) {
            next->_M_parent->_M_left = next->_M_right;
            if (next->_M_right)
                next->_M_right->_M_parent = next->_M_parent;
            next->_M_right = gone->_M_right;
            next->_M_right->_M_parent = next;
        }
        next->_M_left = gone->_M_left;
        next->_M_left->_M_parent = next;
    }
    if (instead)
        instead->_M_parent = gone->_M_parent;
    if (header._M_parent == gone)
        header._M_parent = instead;
    else if (gone->_M_parent->_M_left == gone)
        gone->_M_parent->_M_left = instead;
    else
        gone->_M_parent->_M_right = instead;
    if (gone == header._M_left)
        header._M_left = next;
    if (gone == header._M_right)
        header._M_right = before ? before : &header;
    return gone;
}

} // namespace std

#endif
