// Reads program texts (.fun): one kernel a file.
//
//   program   := "kernel" name "(" [ "sizes" names ";" ] [ parameter { "," parameter } ] ")" "->" parameter
//                [ "where" size "<=" size { "," size "<=" size } ] "=" exp
//   parameter := name ":" type
//   type      := "num" | "(" type "," type ")", then perhaps "[" size { "," size } "]"        num[m, n]: m rows of n
//   size      := whole numbers and size names with "+" "*" "(" ")"
//   exp       := "let" name "=" exp "in" exp | "if" guard "then" exp "else" exp | sum [ ("<" | "<=" | "==") sum ]
//   sum       := product { ("+" | "-") product }      product := unary { ("*" | "/") unary }    unary := "-" unary | postfix
//   postfix   := atom { "[" index "]" | "." layout }
//   atom      := literal | "inf" | name | "(" exp ")" | "(" exp "," exp ")" | "(" exp ":" type ")"
//              | function "(" exps ")" | "apply" "(" function "," exp ")" | "zip" "(" exp "," exp ")"
//              | "cat" "(" exp "," exp ")" | "mem" "(" exp ")" | "fill" "(" type "," literal ")"
//              | "map" [loop] binder "in" exp "{" exp "}"              binder := name [ "@" name ]
//              | "generate" [loop] name "<" size "{" exp "}"
//              | "reduce" ["unroll"] ["into"] binder "in" exp "with" name "=" exp "{" exp "}"
//              | "fold" ["unroll"] ["into"] name "<" size "with" name "=" exp "{" exp "}"
//   loop      := "seq" | "par" | "vec" | "unroll"
//   layout    := "fst" | "snd" | "zip" | "unzip" | "split" "(" n "," m ")" | "join" [ "(" n "," m ")" ] | "transpose"
//              | "reverse" [ "(" n ")" ] | "slide" "(" windows "," width "," stride "," dilation ")"
//              | "slice" "(" offset "," n ")" | "repeat" "(" n ")" | "at" "(" index ")" | "each" "(" layout ")"
//              | "pad" "(" lo "," hi "," literal ")"    (not in "each")
//   index     := positions and sizes with "+" "-" "*" "/" "%" "(" ")", and "size" "(" size ")"
//   guard     := index ("<" | "<=" | "==") index with "and", "or", "not", grouped by "{" "}"
//
// Comparisons of numbers give 1 or 0. A literal is rounded to the nearest binary32 number.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "array/program.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace vouch::array {

// What sizes are known to be, by name: these are no sizes of the program. Other names are of no matter.
using SizeValues = std::map<std::string, Integer>;
std::optional<Program> parse_program(SourceRef source, Diagnostics& diagnostics, const SizeValues& values = {});

}  // namespace vouch::array
