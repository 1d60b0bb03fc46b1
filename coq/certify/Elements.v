(** Element types in C.

    A kernel computes in one type; each input and the output is stored in a type of its own, and
    conversions are operations. Integers wrap around: sums, differences and products are those of
    the unsigned type; a quotient is cut towards zero, and is 0 where the divisor is.

    [elements]      the type a kernel computes in, and those its parameters are stored in
    [element_of]    what variable v holds: temporaries hold what is computed
    [typed]         a boolean: every operation is one of its type, every operand and every value
                    that is stored is of the type that C takes there
    [castable]      a boolean: there is a conversion from the one to the other
    [c_type] [bytes]   an element's name and length
    [c_held]        the type of C that the name stands for
    [c_function1] [c_function2] [c_function3] [c_operator]   how an operation is written
    [c_position]    the name of the function that makes a value of an index
    [definitions]   the functions that C does not have, each with its name and text *)

From Coq Require Import ZArith NArith List Bool String Ascii.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Flat imp.Gather.
Import ListNotations.
Local Open Scope string_scope.

Record elements : Type := {
  computed : element;
  stored : list element   (* the inputs', then the output's *)
}.

Definition element_of (els : elements) (v : nat) : element := nth v (stored els) (computed els).

(** All of one type. *)
Definition uniform (t : element) (parameters : nat) : elements :=
  {| computed := t; stored := repeat t parameters |}.

Definition element_eqb (s t : element) : bool :=
  match s, t with
  | F32, F32 | F64, F64 | I32, I32 | I64, I64 | B8, B8 | F16, F16 | I8, I8 | U8, U8 => true
  | BF16, BF16 | I16, I16 | U16, U16 | U32, U32 | U64, U64 => true
  | _, _ => false
  end.

Lemma element_eqb_eq s t : element_eqb s t = true <-> s = t.
Proof. destruct s, t; split; (reflexivity || discriminate). Qed.

Definition element_eq_dec (s t : element) : {s = t} + {s <> t}.
Proof. decide equality. Defined.

(** C99 has no binary16 and no bfloat16: what is kept is their bits, under names that texts define. *)
Definition c_type (t : element) : string :=
  match t with
  | F32 => "float" | F64 => "double" | I32 => "int32_t" | I64 => "int64_t" | B8 => "bool"
  | F16 => "float16" | I8 => "int8_t" | U8 => "uint8_t"
  | BF16 => "bfloat16" | I16 => "int16_t" | U16 => "uint16_t" | U32 => "uint32_t" | U64 => "uint64_t"
  end.

Definition c_held (t : element) : string := match t with F16 | BF16 => c_type U16 | _ => c_type t end.

(** The types whose names texts define. *)
Definition named_types : list element := [F16; BF16].

Definition bytes (t : element) : N :=
  match t with
  | F32 | I32 | U32 => 4 | F64 | I64 | U64 => 8 | F16 | BF16 | I16 | U16 => 2 | B8 | I8 | U8 => 1
  end.

(** As it is part of names. *)
Definition word_of (t : element) : string :=
  match t with
  | F32 => "float" | F64 => "double" | I32 => "int32" | I64 => "int64" | B8 => "bool"
  | F16 => "float16" | I8 => "int8" | U8 => "uint8"
  | BF16 => "bfloat16" | I16 => "int16" | U16 => "uint16" | U32 => "uint32" | U64 => "uint64"
  end.

Definition all_elements : list element := [F32; F64; I32; I64; B8; F16; I8; U8; BF16; I16; U16; U32; U64].

Definition is_float (t : element) : bool := match t with F32 | F64 => true | _ => false end.
Definition is_whole (t : element) : bool := match t with I32 | I64 | U64 => true | _ => false end.
Definition computes (t : element) : bool := is_float t || is_whole t.

Definition castable (s t : element) : bool :=
  negb (element_eqb s t) &&
  match s, t with
  | F16, _ | BF16, _ => is_float t
  | _, F16 | _, BF16 => is_float s
  | _, _ => computes s || computes t
  end.

(** ** What may be computed in a type *)

Definition op1_in (t : element) (o : uop) : bool :=
  match o with
  | Neg | Abs => is_float t || is_whole t
  | Cast _ _ => false
  | ExpLanes | TanhLanes | ErfLanes => element_eqb t F32
  | _ => is_float t
  end.

Definition op2_in (t : element) (o : bop) : bool :=
  match o with
  | Pow => is_float t
  | _ => is_float t || is_whole t
  end.

Definition op3_in (t : element) (o : top) : bool :=
  match o with
  | Fma => is_float t
  | Sel => is_float t || is_whole t
  end.

(** A literal of the type has this value exactly. *)
Definition const_ok (t : element) (c : const) : bool :=
  let below (b m : Z) : bool := Z.ltb (Z.abs m) b in
  match t, c with
  | F32, Dyadic m e => below 16777216%Z m && Z.leb (-149) e && Z.leb e 104
  | F64, Dyadic m e => below (2 ^ 53)%Z m && Z.leb (-1074) e && Z.leb e 971
  | F32, Infinity _ | F64, Infinity _ => true
  | I32, Dyadic m e => Z.eqb e 0 && below (2 ^ 31)%Z m
  | I64, Dyadic m e => Z.eqb e 0 && below (2 ^ 63)%Z m
  | U64, Dyadic m e => Z.eqb e 0 && below (2 ^ 63)%Z m && Z.leb 0 m
  | _, _ => false
  end.

Definition is_nought (c : const) : bool :=
  match c with Dyadic m e => Z.eqb m 0 && Z.eqb e 0 | _ => false end.

(** As [t]: what a variable of that type holds, a literal, or what an operation gives. *)
Fixpoint fexp_typed_as (els : elements) (t : element) (e : fexp) : bool :=
  match e with
  | FRead v _ => element_eqb (element_of els v) t
  | FConst c => const_ok t c || is_nought c
  | FIndex _ => is_float t || is_whole t
  | FOp1 (Cast s d) e1 => element_eqb d t && castable s d && fexp_typed_as els s e1
  | FOp1 o e1 => op1_in t o && fexp_typed_as els t e1
  | FOp2 o e1 e2 => op2_in t o && fexp_typed_as els t e1 && fexp_typed_as els t e2
  | FOp3 o e1 e2 e3 =>
      op3_in t o && fexp_typed_as els t e1 && fexp_typed_as els t e2 && fexp_typed_as els t e3
  | FIf _ e1 e2 => fexp_typed_as els t e1 && fexp_typed_as els t e2
  end.

(** An index that is data is compared in 64 bits. *)
Definition gather_typed (els : elements) (p : gather) : bool :=
  fexp_typed_as els I64 (ga_from p) && fexp_typed_as els (element_of els (ga_var p)) (ga_value p).

Fixpoint stores_typed (els : elements) (c : fcomm) : bool :=
  match c with
  | FSkip => true
  | FSeq c1 c2 => stores_typed els c1 && stores_typed els c2
  | FAssign v _ e => fexp_typed_as els (element_of els v) e
  | FNew _ _ c1 => stores_typed els c1
  | FFor _ _ _ c1 => match gather_of c with Some p => gather_typed els p | None => stores_typed els c1 end
  | FWithin _ _ _ _ c1 => stores_typed els c1
  end.

(** [parameters]: the number of inputs and outputs; variables from there on are temporaries. *)
Definition typed (els : elements) (parameters : nat) (c : fcomm) : bool :=
  Nat.eqb (List.length (stored els)) parameters &&
  (is_float (computed els) || is_whole (computed els)) && stores_typed els c.

(** ** How it is written *)

(** A function of <math.h>: those of [float] end in f. *)
Definition in_math (t : element) (f : string) : string :=
  match t with F32 => f ++ "f" | _ => f end.

Definition in_whole (t : element) (f : string) : string := f ++ "_" ++ word_of t.

Definition pick (t : element) (math whole : string) : string :=
  if is_float t then in_math t math else in_whole t whole.

(** [Neg] of floats is an operator. *)
Definition c_function1 (t : element) (o : uop) : string :=
  match o with
  | Neg => in_whole t "neg"
  | Abs => pick t "fabs" "abs"
  | Sqrt => in_math t "sqrt"
  | Exp => in_math t "exp"
  | Log => in_math t "log"
  | Tanh => in_math t "tanh"
  | Erf => in_math t "erf"
  | Sin => in_math t "sin"
  | Cos => in_math t "cos"
  | Floor => in_math t "floor"
  | Ceil => in_math t "ceil"
  | Round => in_math t "rint"
  | Tan => in_math t "tan"
  | Asin => in_math t "asin"
  | Acos => in_math t "acos"
  | Atan => in_math t "atan"
  | Sinh => in_math t "sinh"
  | Cosh => in_math t "cosh"
  | Asinh => in_math t "asinh"
  | Acosh => in_math t "acosh"
  | Atanh => in_math t "atanh"
  | ExpLanes => "exp_lanes"
  | TanhLanes => "tanh_lanes"
  | ErfLanes => "erf_lanes"
  | Cast s d => word_of d ++ "_of_" ++ word_of s
  end.

(** Of floats, [max32] and [min32] of array/Binary32.v: a number wins against none. *)
Definition extremum (t : element) (float whole : string) : string :=
  match t with F32 => float | F64 => in_whole t float | _ => in_whole t whole end.

(** Arithmetic on floats and comparisons are operators. *)
Definition c_function2 (t : element) (o : bop) : string :=
  match o with
  | Add => in_whole t "add"
  | Sub => in_whole t "sub"
  | Mul => in_whole t "mul"
  | Div => in_whole t "div"
  | Max => extremum t "greater" "max"
  | Min => extremum t "lesser" "min"
  | Pow => in_math t "pow"
  | Less => " < "
  | LessEq => " <= "
  | Equal => " == "
  end.

Definition c_function3 (t : element) : string := in_math t "fma".

(** ** Functions that C does not have *)

Definition newline : string := String "010" "".

Definition function_text (result name parameters value : string) : string :=
  "static inline " ++ result ++ " " ++ name ++ "(" ++ parameters ++ ") {" ++ newline ++
  "  return " ++ value ++ ";" ++ newline ++ "}" ++ newline.

Definition has_sign (t : element) : bool := match t with U8 | U16 | U32 | U64 => false | _ => true end.

Definition unsigned (t : element) : string := (if has_sign t then "u" else "") ++ c_type t.

Definition wrapped (t : element) (value : string) : string := "(" ++ c_type t ++ ")(" ++ value ++ ")".

Definition as_unsigned (t : element) (a : string) : string := "(" ++ unsigned t ++ ")" ++ a.

Definition negated_text (t : element) : string := wrapped t ("0 - " ++ as_unsigned t "a").

Definition whole1 (t : element) (o : uop) (value : string) : string * string :=
  let name := c_function1 t o in (name, function_text (c_type t) name (c_type t ++ " a") value).

Definition whole2 (t : element) (o : bop) (value : string) : string * string :=
  let name := c_function2 t o in
  (name, function_text (c_type t) name (c_type t ++ " a, " ++ c_type t ++ " b") value).

Definition both (t : element) (op : string) : string :=
  wrapped t (as_unsigned t "a" ++ op ++ as_unsigned t "b").

Definition arithmetic (t : element) : list (string * string) :=
  [whole1 t Neg (negated_text t);
   whole1 t Abs (if has_sign t then "a < 0 ? " ++ negated_text t ++ " : a" else "a");
   whole2 t Add (both t " + "); whole2 t Sub (both t " - "); whole2 t Mul (both t " * ");
   whole2 t Div ("b == 0 ? 0 : " ++ (if has_sign t then "b == -1 ? " ++ negated_text t ++ " : " else "") ++ "a / b");
   whole2 t Max "a < b ? b : a"; whole2 t Min "b < a ? b : a"].

Definition extrema (t : element) : list (string * string) :=
  [whole2 t Max "a != a ? b : a < b ? b : a"; whole2 t Min "a != a ? b : b < a ? b : a"].

(** An index as a value: as C converts from its 64 bits. *)
Definition c_position (t : element) : string := word_of t ++ "_of_index".

Definition position_text (t : element) : string * string :=
  (c_position t,
   function_text (c_type t) (c_position t) "int64_t a"
     match t with I64 => "a" | _ => "(" ++ c_type t ++ ")a" end).

Definition positions : list (string * string) := map position_text [F32; F64; I32; I64; U64].

(** From a float to an integer: what no integer is near becomes the smallest one; of 8 and 16 bits, and without sign, 0. *)
Definition converted_by (through bits : string) (s t : element) : string :=
  if is_float s
  then "a >= -0x1p" ++ bits ++ " && a < 0x1p" ++ bits ++ " ? (" ++ c_type t ++ ")(" ++ through ++ ")a : 0"
  else "(" ++ c_type t ++ ")a".

Definition converted (s t : element) : string :=
  match t with
  | B8 => "a != 0"
  | I32 =>
      if is_float s then "a >= -0x1p31 && a < 0x1p31 ? (int32_t)a : INT32_MIN" else "(int32_t)a"
  | I64 =>
      if is_float s then "a >= -0x1p63 && a < 0x1p63 ? (int64_t)a : INT64_MIN" else "(int64_t)a"
  | F32 => "(float)a"
  | F64 => "(double)a"
  | F16 | BF16 | I8 | U8 | I16 | U16 => converted_by "int32_t" "31" s t
  | U32 => converted_by "int64_t" "63" s t
  | U64 =>
      if is_float s
      then "a >= 0 && a < 0x1p64 ? (uint64_t)a : a >= -0x1p63 && a < 0 ? (uint64_t)(int64_t)a : 0"
      else "(uint64_t)a"
  end.

(** Infinities and numbers that are none keep their mantissa; all else is a product without rounding. *)
Definition from_half (t : element) (name : string) : string :=
"static inline " ++ c_type t ++ " " ++ name ++ "(uint16_t a) {
  union { uint32_t bits; float number; } of = {(uint32_t)(a & 0x7fff) << 13};
  of.number *= 0x1p112f;
  if ((a & 0x7c00) == 0x7c00) of.bits |= 0x7f800000;
  of.bits |= (uint32_t)(a & 0x8000) << 16;
  return of.number;
}
".

(** [bits] of s in all, those from [sign] on above all others but 15, [mantissa] of them after the point;
    [least]: the exponent of the least normal binary16. A sum with 2^[above] times its power of two rounds
    the number, ties to even. *)
Definition to_half_with (s : element) (name bits sign mantissa least above : string) : string :=
  let word := "uint" ++ bits ++ "_t" in
"static inline uint16_t " ++ name ++ "(" ++ c_type s ++ " a) {
  union { " ++ c_type s ++ " number; " ++ word ++ " bits; } of = {a}, sum;
  uint16_t sign = (uint16_t)(of.bits >> " ++ sign ++ " & 0x8000);
  of.bits &= INT" ++ bits ++ "_MAX;
  if (!(of.number < 65520)) return (uint16_t)(sign | (a == a ? 0x7c00 : 0x7e00));
  " ++ word ++ " exponent = of.bits >> " ++ mantissa ++ ";
  if (exponent < " ++ least ++ ") exponent = " ++ least ++ ";
  sum.bits = (exponent + " ++ above ++ ") << " ++ mantissa ++ ";
  sum.number += of.number;
  return (uint16_t)(sign | (((exponent - " ++ least ++ ") << 10) + (sum.bits & 0xfff)));
}
".

Definition to_half (s : element) (name : string) : string :=
  match s with
  | F64 => to_half_with s name "64" "48" "52" "1009" "42"
  | _ => to_half_with s name "32" "16" "23" "113" "13"
  end.

(** A bfloat16 is the upper half of a binary32. *)
Definition from_bfloat (t : element) (name : string) : string :=
"static inline " ++ c_type t ++ " " ++ name ++ "(uint16_t a) {
  union { uint32_t bits; float number; } of = {(uint32_t)a << 16};
  return of.number;
}
".

Definition bfloat_of_float (name : string) : string :=
"static inline uint16_t " ++ name ++ "(float a) {
  union { float number; uint32_t bits; } of = {a};
  if (a != a) return (uint16_t)((of.bits >> 16 & 0x8000) | 0x7fc0);
  return (uint16_t)((of.bits + 0x7fff + (of.bits >> 16 & 1)) >> 16);
}
".

(** As [to_half_with]. *)
Definition bfloat_of_double (name : string) : string :=
"static inline uint16_t " ++ name ++ "(double a) {
  union { double number; uint64_t bits; } of = {a}, sum;
  uint16_t sign = (uint16_t)(of.bits >> 48 & 0x8000);
  of.bits &= INT64_MAX;
  if (!(of.number < 0x1ffp119)) return (uint16_t)(sign | (a == a ? 0x7f80 : 0x7fc0));
  uint64_t exponent = of.bits >> 52;
  if (exponent < 897) exponent = 897;
  sum.bits = (exponent + 45) << 52;
  sum.number += of.number;
  return (uint16_t)(sign | (((exponent - 897) << 7) + (sum.bits & 0x1ff)));
}
".

Definition to_bfloat (s : element) (name : string) : string :=
  match s with F64 => bfloat_of_double name | _ => bfloat_of_float name end.

Definition conversion (s t : element) : string * string :=
  let name := c_function1 t (Cast s t) in
  (name,
   match s, t with
   | F16, _ => from_half t name
   | _, F16 => to_half s name
   | BF16, _ => from_bfloat t name
   | _, BF16 => to_bfloat s name
   | _, _ => function_text (c_type t) name (c_type s ++ " a") (converted s t)
   end).

Definition conversions : list (string * string) :=
  flat_map (fun t => map (fun s => conversion s t) (filter (fun s => castable s t) all_elements)) all_elements.

(** Functions without jumps and tables, of which compilers make lanes; what they give is [exp_lanes32], [tanh_lanes32] and
    [erf_lanes32] of array/Binary32.v, bit for bit. An exponent of two is written into the bits of a number, in two
    parts, since the result may have an exponent that no number of full precision has. *)
Definition exp_lanes_text : string :=
"static inline float exp_lanes(float a) {
  float x = a < -104.0f ? -104.0f : a > 89.0f ? 89.0f : a;
  union { float number; uint32_t bits; } of = {x * 0x1.715476p+0f + 0x1.8p+23f}, half, rest;
  float n = of.number - 0x1.8p+23f;
  float r = (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
  float p = ((0x1.6a2352p-10f * r + 0x1.123a6cp-7f) * r + 0x1.5558f4p-5f) * r + 0x1.55549p-3f;
  float y = ((p * r + 0x1.fffffcp-2f) * (r * r) + r) + 1.0f;
  uint32_t m = of.bits - 0x4b3fff00;
  half.bits = ((m >> 1) - 1) << 23;
  rest.bits = (m - (m >> 1) - 1) << 23;
  return y * half.number * rest.number;
}
".

Definition tanh_lanes_text : string :=
"static inline float tanh_lanes(float a) {
  float x = fabsf(a), s = a * a;
  float p = ((-0x1.75e1cep-8f * s + 0x1.52269cp-6f) * s + -0x1.b83c5ap-5f) * s + 0x1.110726p-3f;
  float inner = (p * s + -0x1.555532p-2f) * s * a + a;
  float outer = 1.0f - 2.0f / (exp_lanes(x + x) + 1.0f);
  return x < 0.625f ? inner : copysignf(outer, a);
}
".

Definition erf_lanes_text : string :=
"static inline float erf_lanes(float a) {
  float x = fabsf(a), s = a * a;
  float p = ((-0x1.38ep-11f * s + 0x1.471a58p-8f) * s + -0x1.b691b2p-6f) * s + 0x1.ce1c44p-4f;
  float inner = ((p * s + -0x1.8127p-2f) * s + 0x1.06eba8p-3f) * a + a;
  float q = ((-0x1.22p-16f * x + 0x1.91cfb2p-12f) * s + (-0x1.fd1438p-9f * x + 0x1.8d6342p-6f)) * x + -0x1.b55cb8p-4f;
  float outer = 1.0f - exp_lanes(((q * x + -0x1.450aap-1f) * x + -0x1.079d0cp-3f) * x - x);
  return x < 0x1.dbp-1f ? inner : copysignf(outer, a);
}
".

Definition lanes : list (string * string) :=
  [(c_function1 F32 ExpLanes, exp_lanes_text); (c_function1 F32 TanhLanes, tanh_lanes_text);
   (c_function1 F32 ErfLanes, erf_lanes_text)].

(** Of the bounds of a loop; both indices are below 2^63. *)
Definition c_at_least : string := "at_least".
Definition c_at_most : string := "at_most".

Definition bounds : list (string * string) :=
  map (fun f => (fst f, function_text "int64_t" (fst f) "int64_t a, int64_t b, int64_t c" (snd f)))
    [(c_at_least, "c < a - b ? a - b : c"); (c_at_most, "a - b < c ? a - b : c")].

Definition definitions : list (string * string) :=
  Eval vm_compute in (extrema F32 ++ extrema F64 ++ arithmetic I32 ++ arithmetic I64 ++ arithmetic U64 ++ conversions ++ positions ++
    lanes ++ bounds)%list.

(** What the text of a function calls. *)
Definition called_by (o : uop) : list string :=
  match o with TanhLanes | ErfLanes => [c_function1 F32 ExpLanes] | _ => [] end.

(** The functions that a program calls. *)
Fixpoint fexp_calls (t : element) (e : fexp) : list string :=
  match e with
  | FRead _ _ | FConst _ => []
  | FIndex _ => [c_position t]
  | FOp1 (Cast s d) e1 => c_function1 d (Cast s d) :: fexp_calls s e1
  | FOp1 o e1 => c_function1 t o :: called_by o ++ fexp_calls t e1
  | FOp2 o e1 e2 => c_function2 t o :: fexp_calls t e1 ++ fexp_calls t e2
  | FOp3 _ e1 e2 e3 => fexp_calls t e1 ++ fexp_calls t e2 ++ fexp_calls t e3
  | FIf _ e1 e2 => fexp_calls t e1 ++ fexp_calls t e2
  end.

Fixpoint calls_in (els : elements) (c : fcomm) : list string :=
  match c with
  | FSkip => []
  | FSeq c1 c2 => calls_in els c1 ++ calls_in els c2
  | FAssign v _ e => fexp_calls (element_of els v) e
  | FNew _ _ c1 => calls_in els c1
  | FFor _ _ _ c1 =>
      match gather_of c with
      | Some p => fexp_calls I64 (ga_from p) ++ fexp_calls (element_of els (ga_var p)) (ga_value p)
      | None => calls_in els c1
      end
  | FWithin _ _ lo hi c1 =>
      (match lo with [] => [] | _ => [c_at_least] end ++ match hi with [] => [] | _ => [c_at_most] end ++
       calls_in els c1)%list
  end.

Definition defined (els : elements) (c : fcomm) : list string :=
  let called := calls_in els c in
  map snd (filter (fun d => existsb (String.eqb (fst d)) called) definitions).
