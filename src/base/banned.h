/*
 * Make calls without a safe use compile errors. The build includes this file in every file of
 * src/.
 */
#ifndef PIPA_BASE_BANNED_H
#define PIPA_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PIPA_BANNED(name, instead) pipa_use_##instead##_instead_of_##name

#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef sprintf
#undef vsprintf
#undef atoi
#undef atol
#undef atof
#undef strtok
#undef gmtime
#undef localtime
#undef ctime
#undef printf
#undef vprintf
#undef puts
#undef putchar
#undef perror
#define strcpy(d, s) PIPA_BANNED(strcpy, snprintf)
#define strcat(d, s) PIPA_BANNED(strcat, pipa_buf)
#define strncpy(d, s, n) PIPA_BANNED(strncpy, snprintf)
#define strncat(d, s, n) PIPA_BANNED(strncat, pipa_buf)
#define sprintf(...) PIPA_BANNED(sprintf, snprintf)
#define vsprintf(...) PIPA_BANNED(vsprintf, vsnprintf)
#define atoi(s) PIPA_BANNED(atoi, pipa_str_u64)
#define atol(s) PIPA_BANNED(atol, pipa_str_u64)
#define atof(s) PIPA_BANNED(atof, pipa_str_double)
#define strtok(s, d) PIPA_BANNED(strtok, strsep)
#define gmtime(t) PIPA_BANNED(gmtime, gmtime_r)
#define localtime(t) PIPA_BANNED(localtime, localtime_r)
#define ctime(t) PIPA_BANNED(ctime, strftime)
#define printf(...) PIPA_BANNED(printf, pipa_log_note)
#define vprintf(f, a) PIPA_BANNED(vprintf, pipa_log_note)
#define puts(s) PIPA_BANNED(puts, pipa_log_note)
#define putchar(c) PIPA_BANNED(putchar, pipa_log_note)
#define perror(s) PIPA_BANNED(perror, pipa_fail)

#endif
