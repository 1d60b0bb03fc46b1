#include "array/lanes.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace vouch::array {

float exp_lanes(float a) {
  float x = a < -104.0F ? -104.0F : a > 89.0F ? 89.0F : a;
  float of = x * 0x1.715476p+0F + 0x1.8p+23F;
  float n = of - 0x1.8p+23F;
  float r = (x - n * 0x1.62e4p-1F) - n * 0x1.7f7d1cp-20F;
  float p = ((0x1.6a2352p-10F * r + 0x1.123a6cp-7F) * r + 0x1.5558f4p-5F) * r + 0x1.55549p-3F;
  float y = ((p * r + 0x1.fffffcp-2F) * (r * r) + r) + 1.0F;
  std::uint32_t m = std::bit_cast<std::uint32_t>(of) - 0x4b3fff00;
  auto half = std::bit_cast<float>(((m >> 1) - 1) << 23);
  auto rest = std::bit_cast<float>((m - (m >> 1) - 1) << 23);
  return y * half * rest;
}

float tanh_lanes(float a) {
  float x = std::fabs(a);
  float s = a * a;
  float p = ((-0x1.75e1cep-8F * s + 0x1.52269cp-6F) * s + -0x1.b83c5ap-5F) * s + 0x1.110726p-3F;
  float inner = (p * s + -0x1.555532p-2F) * s * a + a;
  float outer = 1.0F - 2.0F / (exp_lanes(x + x) + 1.0F);
  return x < 0.625F ? inner : std::copysign(outer, a);
}

float erf_lanes(float a) {
  float x = std::fabs(a);
  float s = a * a;
  float p = ((-0x1.38ep-11F * s + 0x1.471a58p-8F) * s + -0x1.b691b2p-6F) * s + 0x1.ce1c44p-4F;
  float inner = ((p * s + -0x1.8127p-2F) * s + 0x1.06eba8p-3F) * a + a;
  float q = ((-0x1.22p-16F * x + 0x1.91cfb2p-12F) * s + (-0x1.fd1438p-9F * x + 0x1.8d6342p-6F)) * x + -0x1.b55cb8p-4F;
  float outer = 1.0F - exp_lanes(((q * x + -0x1.450aap-1F) * x + -0x1.079d0cp-3F) * x - x);
  return x < 0x1.dbp-1F ? inner : std::copysign(outer, a);
}

}  // namespace vouch::array
