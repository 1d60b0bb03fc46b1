// resident_set PROGRAM [ARGUMENT...]: runs it, and prints the bytes of its largest resident set. What starts a program hands it its own
// largest one, so this program is small.
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  struct rusage usage;
  int status;
  pid_t child;
  if (argc < 2) return 64;
  child = fork();
  if (child == 0) {
    execv(argv[1], argv + 1);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) return 1;
  printf("%ld\n", 1024 * usage.ru_maxrss);
  return 0;
}
