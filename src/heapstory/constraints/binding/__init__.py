"""What the types of a specification are in a trace: layouts, members, roots, constants.

Knows the language, the terms of plans (`Kind`, `PlanMember`) and the trace; not how it is compiled.
"""
