/* The style sheet of the pages (web/pipad.css), made by cmake/embed.cmake. */
#ifndef PIPA_SERVE_PAGE_STYLE_H
#define PIPA_SERVE_PAGE_STYLE_H

#include "export/view/web.h"

extern const struct pipa_web_text pipa_page_style;

#endif
