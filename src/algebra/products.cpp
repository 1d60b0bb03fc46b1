#include "algebra/products.h"

#include <algorithm>

#include "algebra/equality.h"
#include "term/print.h"

namespace vouch {
namespace {

bool is_named(const Factor& f, std::string_view name) { return f.atom->kind == AtomKind::Function && f.atom->name == name; }

NormalForm named(FormBuilder& forms, std::string_view name, NormalForm of) {
  return forms.single(forms.make_atom(AtomKind::Function, {}, {}, {std::move(of)}, std::string(name)));
}

// What L stands before, where the summand is it alone, a number of times.
AtomRef counted_factor(const Summand& s) {
  bool lone = s.factors.size() == 1 && s.factors[0].exponent == 1 && is_named(s.factors[0], kFactor);
  return lone ? s.factors[0].atom : nullptr;
}

Summand times_one(const Summand& s, NormalForm of, FormBuilder& forms) {
  return forms.make(s.coefficient, s.bound, s.guards, of[0].factors);
}

// How often it is counted, if that is a small number.
std::optional<int> small_count(const Summand& s) {
  constexpr int kMost = 16;
  bool small = is_plain(s) && is_integral(s.coefficient) && s.coefficient.sign() > 0 && s.coefficient <= kMost;
  return small ? std::optional(static_cast<int>(numerator(s.coefficient))) : std::nullopt;
}

}  // namespace

NormalForm factors_of(FormBuilder& forms, const NormalForm& form) {
  if (form.size() != 1 || !is_plain(form[0])) {
    return named(forms, kFactor, form);
  }
  NormalForm out;
  if (!is_one(form[0].coefficient)) {
    out = named(forms, kFactor, forms.number(form[0].coefficient));
  }
  for (const Factor& f : form[0].factors) {
    if (is_named(f, kProductOf) && f.exponent > 0) {
      NormalForm inside;
      for (const Summand& s : f.atom->args[0]) {
        inside.push_back(forms.with_fresh_bound(s));
      }
      out = forms.sum(out, forms.scaled(f.exponent, inside));
      continue;
    }
    NormalForm base = forms.single(f.atom, f.exponent > 0 ? 1 : -1);
    out = forms.sum(out, forms.scaled(std::abs(f.exponent), named(forms, kFactor, base)));
  }
  return out;
}

NormalForm product_of_factors(FormBuilder& forms, const NormalForm& sum) {
  NormalForm out = forms.number(1);
  NormalForm above;
  NormalForm below;
  for (const Summand& s : sum) {
    AtomRef factor = counted_factor(s);
    if (!factor) {
      above.push_back(s);
      continue;
    }
    const NormalForm& value = factor->args[0];
    bool power = value.size() == 1 && is_plain(value[0]) && is_one(value[0].coefficient) && value[0].factors.size() == 1;
    if (auto count = small_count(s)) {
      out = forms.product(out, forms.power(value, *count));
    } else if (power && is_named(value[0].factors[0], fn_name(Fn::Exp)) && value[0].factors[0].exponent == 1) {
      NormalForm counted{forms.make(s.coefficient, s.bound, s.guards, {})};
      NormalForm exponent = forms.product(counted, value[0].factors[0].atom->args[0]);
      out = forms.product(out, forms.function(std::string(fn_name(Fn::Exp)), {exponent}));
    } else if (power && value[0].factors[0].exponent == -1) {
      below.push_back(times_one(s, named(forms, kFactor, forms.single(value[0].factors[0].atom)), forms));
    } else {
      above.push_back(s);
    }
  }
  if (!above.empty()) {
    out = forms.product(out, named(forms, kProductOf, forms.merged(above)));
  }
  return below.empty() ? out : forms.product(out, forms.power(named(forms, kProductOf, forms.merged(below)), -1));
}

std::optional<NormalForm> magnitude_of_factors(FormBuilder& forms, const NormalForm& sum) {
  NormalForm out;
  for (const Summand& s : sum) {
    AtomRef factor = counted_factor(s);
    if (!factor) {
      return std::nullopt;
    }
    NormalForm counted{forms.make(s.coefficient, s.bound, s.guards, {})};
    NormalForm of = factors_of(forms, forms.function(std::string(fn_name(Fn::Abs)), {factor->args[0]}));
    out = forms.sum(out, forms.product(counted, of));
  }
  return product_of_factors(forms, out);
}

bool has_several_products(const Summand& summand) {
  int above = 0;
  int below = 0;
  for (const Factor& f : summand.factors) {
    if (is_named(f, kProductOf)) {
      (f.exponent > 0 ? above : below) += std::abs(f.exponent);
    }
  }
  return above > 1 || below > 1;
}

Summand with_one_product(FormBuilder& forms, Summand summand) {
  std::vector<Factor> others;
  NormalForm above;
  NormalForm below;
  for (const Factor& f : summand.factors) {
    if (!is_named(f, kProductOf)) {
      others.push_back(f);
      continue;
    }
    NormalForm& side = f.exponent > 0 ? above : below;
    side = forms.sum(side, forms.scaled(std::abs(f.exponent), f.atom->args[0]));
  }
  for (const NormalForm* side : {&above, &below}) {
    if (!side->empty()) {
      others.push_back({named(forms, kProductOf, *side)[0].factors[0].atom, side == &above ? 1 : -1});
    }
  }
  return forms.make(summand.coefficient, summand.bound, summand.guards, std::move(others));
}

// By the pieces of the domain in each of which the body is not a choice.
NormalForm Equality::product_over(AtomRef product, const Context& context) {
  auto parts = pieces(product, context);
  if (!parts) {
    return forms_.single(product);
  }
  NormalForm sum;
  for (const Piece& part : *parts) {
    for (Summand s : vouch::factors_of(forms_, part.body)) {
      s.bound.insert(s.bound.begin(), part.bound.begin(), part.bound.end());
      s.guards.insert(s.guards.begin(), part.guards.begin(), part.guards.end());
      sum.push_back(std::move(s));
    }
  }
  return forms_.function(std::string(kProductOf), {simplified(forms_.merged(sum), context)});
}

}  // namespace vouch
