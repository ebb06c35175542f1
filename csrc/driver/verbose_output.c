/* The text is parsed in place: each kept line moves to the end of those before it. */
#include "driver/verbose_output.h"

#include <stdlib.h>
#include <string.h>

#include "base/starts_with.h"

/* `clang -cc1 -v` prints a first line, lines with these beginnings, directories after the last of these, and a last
   line. */
static const char first_line[] = "clang -cc1 version ";
static const char *const beginnings[] = {
    "ignoring nonexistent directory \"",
    "ignoring duplicate directory \"",
    "  as it is a non-system directory that duplicates",
    "#include \"...\" search starts here:",
    "#include <...> search starts here:",
};
static const char last_line[] = "End of search list.";
static const char *const severities[] = {"error: ", "warning: ", "note: ", "remark: "};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Ends the line, without its line break, and returns the next one; NULL after the last. */
static char *end_line(char *line)
{
  char *end = strchr(line, '\n');
  if (end)
    *end++ = '\0';
  return end;
}

static bool has_severity(const char *line)
{
  for (size_t i = 0; i < COUNT(severities); i++)
    if (strstr(line, severities[i]))
      return true;
  return false;
}

/* Appends a line to the texts before it, which leaves the lines after it intact. Returns the end. */
static char *append_line(char *end, const char *line, bool has_break)
{
  size_t length = strlen(line);
  memmove(end, line, length);
  if (has_break)
    end[length++] = '\n';
  return end + length;
}

/* Splits a job, which begins with a blank and a quotation mark. Removes clang's quotes and backslashes. */
static bool split_words(char *line, struct verbose_output *output)
{
  size_t length = strlen(line);
  output->words = calloc(length / 2 + 1, sizeof *output->words);
  if (!output->words)
    return false;
  char *to = line + 1; /* after the quotation mark of the first word */
  bool is_last = false;
  for (const char *from = line; !is_last && *from == ' ';) {
    bool is_quoted = *++from == '"';
    char *word = to;
    for (from += is_quoted; *from && *from != (is_quoted ? '"' : ' '); from++) {
      if (is_quoted && *from == '\\' && from[1])
        from++;
      *to++ = *from;
    }
    if (is_quoted && *from++ != '"')
      return false;
    if (*from && *from != ' ')
      return false;
    is_last = !*from;
    *to++ = '\0'; /* at most at `from` - 1, or at the end */
    output->words[output->word_count++] = word;
  }
  return is_last;
}

/* Removes the lines of -v from the lines after the job. */
static bool remove_verbose_lines(char *text)
{
  char *end = text; /* of the messages that remain */
  enum { BEFORE, LINES, DIRECTORIES, AFTER } state = BEFORE;
  for (char *line = text, *next; line; line = next) {
    next = end_line(line);
    bool is_kept = state == BEFORE || state == AFTER;
    if (state == BEFORE && coro_starts_with(line, first_line)) {
      state = LINES;
      is_kept = false;
    } else if (!is_kept && strcmp(line, last_line) == 0) {
      state = AFTER;
    } else if (!is_kept) {
      size_t i = 0;
      while (i < COUNT(beginnings) && !coro_starts_with(line, beginnings[i]))
        i++;
      if (i < COUNT(beginnings))
        state = i + 1 == COUNT(beginnings) ? DIRECTORIES : LINES;
      else
        is_kept = state != DIRECTORIES || *line != ' ';
    }
    if (is_kept)
      end = append_line(end, line, next);
  }
  *end = '\0';
  return state == BEFORE || state == AFTER;
}

bool verbose_output_parse(char *text, struct verbose_output *output)
{
  *output = (struct verbose_output){.driver_messages = text};
  char *end = text, *line = text;
  while (line && !coro_starts_with(line, " \"")) {
    char *next = end_line(line);
    if (has_severity(line))
      end = append_line(end, line, next);
    line = next;
  }
  if (!line)
    return false;
  output->messages = end_line(line);
  bool has_words = split_words(line, output);
  *end = '\0'; /* at most the job's first blank, which is no longer needed */
  return has_words && output->messages && remove_verbose_lines(output->messages);
}
