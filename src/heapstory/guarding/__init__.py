"""The allocation guard: a library is preloaded into the program, its reports are read afterwards.

``settings`` says what each mode costs and checks, ``run`` starts the program, ``report`` reads what
the library wrote (native/guard/output.h has the lines), ``naming`` turns addresses into places.
Knows ``checks`` and, of ``recording``, how programs are found and run.
"""
