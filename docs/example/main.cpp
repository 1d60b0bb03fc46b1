// Rewrites a model by the shipped rules and by one of its own, and says whether the two models are equal.
#include <vouch/vouch.h>

#include <iostream>

const char* const kOwnRule = R"(
rule relu_relu {
  let x = *;
  source Relu(Relu(x));
  target Relu(x);
}
)";

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: prune MODEL.onnx OUT.onnx\n";
    return 64;
  }
  vouch::api::Rules own = vouch::api::Rules::parse(kOwnRule, "own");
  for (const vouch::api::Checked& checked : own.check()) {
    std::cout << checked.rule << ": " << name(checked.verdict) << "\n" << checked.counterexample;
    if (!is_sound(checked.verdict)) {
      return 1;
    }
  }
  vouch::api::Model model = vouch::api::Model::load(argv[1]);
  vouch::api::Optimized smaller = model.optimize(own).model.optimize(vouch::api::Rules::shipped());
  for (const auto& [rule, times] : smaller.fired) {
    std::cout << rule << " fired " << times << " time(s)\n";
  }
  std::cout << model.calls() << " calls, then " << smaller.model.calls() << "\n";
  vouch::api::Judgement judged = compare(model, smaller.model);
  std::cout << judged.text;
  smaller.model.save(argv[2]);
  bool equal = judged.equality == vouch::api::Equality::EqualExact || judged.equality == vouch::api::Equality::EqualReal;
  return equal ? 0 : 2;
} catch (const vouch::api::Error& error) {
  std::cerr << error.what();
  return 3;
}
