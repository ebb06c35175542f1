/* Searches PATH as execvp does, and the directories of a Python installation. */
#define _GNU_SOURCE
#include "driver/find_programs.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/starts_with.h"

static bool is_file(const char *path)
{
  struct stat state;
  return stat(path, &state) == 0 && S_ISREG(state.st_mode);
}

/* Copies a path that names an executable file. */
static const char *executable_or_null(const char *path)
{
  return is_file(path) && access(path, X_OK) == 0 ? strdup(path) : NULL;
}

static const char *find_in_path(const char *name)
{
  if (strchr(name, '/'))
    return executable_or_null(name);
  const char *folder = getenv("PATH"), *found = NULL;
  folder = folder && *folder ? folder : "/bin:/usr/bin";
  while (!found) {
    char path[PATH_MAX];
    int length = (int)strcspn(folder, ":");
    if (snprintf(path, sizeof path, "%.*s%s%s", length, folder, length ? "/" : "", name) < (int)sizeof path)
      found = executable_or_null(path);
    if (!folder[length])
      break;
    folder += length + 1;
  }
  return found;
}

const char *find_clang(const char *program, const char *variable)
{
  const char *given = getenv(variable);
  if (given && *given)
    return find_in_path(given);
  char name[PATH_MAX];
  snprintf(name, sizeof name, "%s-" LLVM_VERSION, program);
  const char *found = find_in_path(name);
  if (!found) {
    snprintf(name, sizeof name, "/usr/lib/llvm-" LLVM_VERSION "/bin/%s", program);
    found = find_in_path(name);
  }
  return found ? found : find_in_path(program);
}

/* Writes the directory of this program, without links. */
static bool own_directory(char path[PATH_MAX])
{
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
  if (length <= 0)
    return false;
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  if (slash)
    *slash = '\0';
  return slash;
}

const char *find_sibling(const char *name)
{
  char folder[PATH_MAX], *path = NULL;
  return own_directory(folder) && asprintf(&path, "%s/%s", folder, name) > 0 ? path : NULL;
}

const char *find_plugin(void)
{
  static const char *const libraries[] = {"lib", "lib64"}; /* in a virtual environment, lib64 is a link to lib */
  static const char *const packages[] = {"site-packages", "dist-packages"};
  char prefix[PATH_MAX], path[2 * PATH_MAX];
  const char *found = NULL;
  bool is_unique = own_directory(prefix) && strrchr(prefix, '/');
  if (is_unique)
    *strrchr(prefix, '/') = '\0';
  for (size_t i = 0; is_unique && !found && i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", prefix, libraries[i]);
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
      for (size_t k = 0; k < 2 && coro_starts_with(entry->d_name, "python"); k++) {
        snprintf(path, sizeof path, "%s/%s/%s/%s/pycoro_driver/clang_plugin.so", prefix, libraries[i], entry->d_name,
                 packages[k]);
        if (!is_file(path))
          continue;
        is_unique &= !found;
        found = strdup(path);
      }
    }
    if (folder)
      closedir(folder);
  }
  return is_unique ? found : NULL;
}
