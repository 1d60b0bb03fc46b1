// Products over indices, as sums: a product of f is known by the sum of L(f), where L is any function that takes products to
// sums. So two products are equal where the same factors occur as often in both, and all that is known of sums serves them.
#pragma once

#include <optional>
#include <string_view>

#include "algebra/normal_form.h"

namespace vouch {

// Of such a sum: the product of what L stands before there, each as often as it is counted. No count is negative.
inline constexpr std::string_view kProductOf = "product of";
// L of one factor.
inline constexpr std::string_view kFactor = "factor";

// L of the form: of its factors one by one where it is a product.
NormalForm factors_of(FormBuilder& forms, const NormalForm& form);
// The product, without factors that are known without it: those that are counted a number of times, exponentials, quotients.
NormalForm product_of_factors(FormBuilder& forms, const NormalForm& sum);
// Its magnitude; nothing where not all of them are known one by one.
std::optional<NormalForm> magnitude_of_factors(FormBuilder& forms, const NormalForm& sum);
// Products over indices in the summand that stand in the numerator as one, and so those in the denominator.
bool has_several_products(const Summand& summand);
Summand with_one_product(FormBuilder& forms, Summand summand);

}  // namespace vouch
