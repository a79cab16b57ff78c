/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the stubs of the preload object (preload.c) and the tool (strings.c) agree on. A stub holds
 * one instruction `mov $HS_STUB + number, %r11d`; the tool replaces it by a call of the function
 * with that number, which takes rdi, rsi, rdx, rcx and returns rax. */
#ifndef HEAPSTORY_STUBS_H
#define HEAPSTORY_STUBS_H

#define HS_STUB 0x48530000
#define HS_STUB_BYTES 6 /* length of the instruction */

#define HS_MEMMOVE 0
#define HS_MEMPCPY 1
#define HS_MEMSET 2
#define HS_BZERO 3
#define HS_BCOPY 4
#define HS_MEMCCPY 5
#define HS_STRCPY 6
#define HS_STPCPY 7
#define HS_STRNCPY 8
#define HS_STPNCPY 9
#define HS_STRCAT 10
#define HS_STRNCAT 11
#define HS_STRLCPY 12
#define HS_STRLCAT 13
#define HS_WMEMMOVE 14
#define HS_WMEMPCPY 15
#define HS_WMEMSET 16
#define HS_WCSCPY 17
#define HS_WCSNCPY 18
#define HS_WCSCAT 19
/* These return 0 instead of writing past the end; the stub then calls __chk_fail. */
#define HS_STRCPY_CHK 20
#define HS_STPCPY_CHK 21
#define HS_STRCAT_CHK 22
#define HS_STRNCAT_CHK 23
/* These return 0 where the slow function (Valgrind's replacement) must do it, and HS_END_PROGRAM
 * where the stub must end the program. */
#define HS_END_PROGRAM 1
#define HS_MALLOC 24
#define HS_CALLOC 25
#define HS_REALLOC 26
#define HS_NEW 27
#define HS_NEW_ARRAY 28
#define HS_FREE 29
#define HS_DELETE 30
#define HS_DELETE_ARRAY 31
#define HS_MEMCPY 32 /* as HS_MEMMOVE, where source and destination must not overlap */
/* delete that is told the size of the block */
#define HS_DELETE_SIZED 33
#define HS_DELETE_ARRAY_SIZED 34
/* Functions that only read, in the preload object of checked programs. */
#define HS_FIRST_READER 35
#define HS_STRLEN 35
#define HS_STRNLEN 36
#define HS_STRCHR 37
#define HS_STRCHRNUL 38
#define HS_STRRCHR 39
#define HS_RAWMEMCHR 40
#define HS_MEMCHR 41
#define HS_MEMRCHR 42
#define HS_MEMCMP 43
#define HS_STRCMP 44
#define HS_STRNCMP 45
#define HS_STRSPN 46
#define HS_STRCSPN 47
#define HS_STRPBRK 48
#define HS_STRSTR 49
#define HS_WCSLEN 50
#define HS_WCSNLEN 51
#define HS_WCSCHR 52
#define HS_WCSRCHR 53
#define HS_WCSCMP 54
#define HS_WCSNCMP 55
#define HS_WMEMCHR 56
#define HS_WMEMCMP 57
#define HS_STUBS 58

#endif
