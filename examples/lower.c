/* Lowers the coroutines of a file and prints the IR: `cc lower.c $(pkg-config --cflags --libs pycoro)`.
   Requires: pycoro's C library. Guarantees: exit status 0, or the coro_status of the error. */
#include <pycoro.h>
#include <stdio.h>
#include <stdlib.h>

static char *read_all(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  char *data = NULL;
  *size = 0;
  for (size_t room = 4096; file; room *= 2) {
    char *more = realloc(data, room);
    if (!more)
      break;
    data = more;
    *size += fread(data + *size, 1, room - *size, file);
    if (*size < room)
      break;
  }
  if (file)
    fclose(file);
  return data;
}

static void print_frames(const coro_report *report)
{
  for (size_t i = 0; i < coro_report_coroutine_count(report); i++) {
    const coro_coroutine_info *info = coro_report_coroutine(report, i);
    fprintf(stderr, "; @%s: %zu suspend points, a frame of %llu bytes\n", info->function, info->suspend_count,
            (unsigned long long)info->frame_size);
    for (size_t j = 0; j < info->field_count; j++)
      fprintf(stderr, ";   %4llu  %-12s %s\n", (unsigned long long)info->fields[j].offset, info->fields[j].name,
              info->fields[j].type);
  }
}

int main(int count, char **arguments)
{
  if (count != 2) {
    fprintf(stderr, "usage: %s IN.ll\n", arguments[0]);
    return 2;
  }
  size_t size;
  char *data = read_all(arguments[1], &size);
  if (!data) {
    fprintf(stderr, "%s: cannot be read\n", arguments[1]);
    return 1;
  }
  coro_diags *diags = NULL;
  coro_module *module = NULL;
  coro_report *report = NULL;
  char *text = NULL;
  coro_options options = CORO_OPTIONS_INIT;
  coro_status status = coro_diags_create(&diags);
  if (status == CORO_OK)
    status = coro_module_parse(&module, data, size, arguments[1], diags);
  if (status == CORO_OK)
    status = coro_run(module, "coro-early,cgscc(coro-split),coro-cleanup", &options, &report, diags);
  if (status == CORO_OK)
    status = coro_module_print(module, &text);
  if (status == CORO_OK) {
    print_frames(report);
    fputs(text, stdout);
  }
  for (size_t i = 0; i < coro_diags_count(diags); i++) {
    const coro_diag *d = coro_diags_get(diags, i);
    fprintf(stderr, "@%s, block %s: %s\n  %s\n", d->function, d->block, d->message, d->hint);
  }
  coro_string_free(text);
  coro_report_free(report);
  coro_module_free(module);
  coro_diags_free(diags);
  free(data);
  return coro_status_exit(status);
}
