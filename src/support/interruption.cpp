#include "support/interruption.h"

#include <signal.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

namespace vouch {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, kSignals.size()> before;
std::atomic<int> came = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may set it");

void remember(int signal) { came = signal; }

}  // namespace

Interruptible::Interruptible() {
  struct sigaction ours {};
  ours.sa_handler = remember;
  ours.sa_flags = SA_RESTART;
  for (std::size_t k = 0; k < kSignals.size(); ++k) {
    sigaction(kSignals[k], nullptr, &before[k]);
    if (before[k].sa_handler != SIG_IGN) {
      sigaction(kSignals[k], &ours, nullptr);
    }
  }
}

Interruptible::~Interruptible() {
  for (std::size_t k = 0; k < kSignals.size(); ++k) {
    sigaction(kSignals[k], &before[k], nullptr);
  }
  if (came == 0) {
    return;
  }
  raise(came);
  // Whoever handled it before may clean up in a thread of its own, and then end the process.
  constexpr auto kLongest = std::chrono::seconds(10);
  std::this_thread::sleep_for(kLongest);
}

bool interrupted() { return came != 0; }

}  // namespace vouch
