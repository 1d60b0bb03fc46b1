// The part of gcc's OpenMP runtime that kernels call, on plain threads: ThreadSanitizer understands these, whereas libgomp
// synchronises in ways that it cannot see. OMP_NUM_THREADS says how many; a loop inside a parallel one runs on one thread.
#include <pthread.h>
#include <stdlib.h>

#define MOST_THREADS 64

void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags);
int omp_get_num_threads(void);
int omp_get_thread_num(void);

struct worker {
  void (*body)(void*);
  void* data;
  int number, count;
};

static __thread int thread_number, thread_count = 1, nested;

int omp_get_num_threads(void) { return thread_count; }
int omp_get_thread_num(void) { return thread_number; }

static void* work(void* argument) {
  struct worker* self = argument;
  int old_number = thread_number, old_count = thread_count;
  thread_number = self->number;
  thread_count = self->count;
  nested += 1;
  self->body(self->data);
  nested -= 1;
  thread_number = old_number;
  thread_count = old_count;
  return NULL;
}

void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags) {
  const char* wanted = getenv("OMP_NUM_THREADS");
  int count = threads ? (int)threads : wanted ? atoi(wanted) : 2;
  struct worker workers[MOST_THREADS];
  pthread_t handles[MOST_THREADS];
  (void)flags;
  if (nested || count < 1) count = 1;
  if (count > MOST_THREADS) count = MOST_THREADS;
  for (int i = 0; i < count; ++i) {
    workers[i] = (struct worker){body, data, i, count};
    if (i > 0 && pthread_create(&handles[i], NULL, work, &workers[i])) abort();
  }
  work(&workers[0]);
  for (int i = 1; i < count; ++i) pthread_join(handles[i], NULL);
}
