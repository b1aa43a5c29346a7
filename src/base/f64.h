/* Print doubles with the fewest digits that read back as the same number. */
#ifndef PIPA_BASE_F64_H
#define PIPA_BASE_F64_H

enum { PIPA_F64_SIZE = 32 };

/* Print as printf's %.15g, or %.17g if that is another number. Returns text. Of decimals with few digits it is fast. */
const char *pipa_f64_print(double value, char text[static PIPA_F64_SIZE]);

#endif
