(** Flat programs as C text.

    The text is C99 with OpenMP pragmas. Every operator is in parentheses, so that nothing
    depends on precedence; constants are exact, in hexadecimal where they are not whole.

    [names]         what inputs, output, sizes and loops are called, and the types of elements
    [declared]      what the text itself says of that: not the names of loops
    [c_expr] [c_stmt]   expressions and statements
    [c_text]        a file without the checked form: headers, the allocator, the kernel. With
                    arrays on the heap it is a function that says whether memory could not be
                    had, and one that calls it, and stops where that is so.
    [c_checked]     the checked form
    Texts are functions that prepend to the rest of the file, so that joining is cheap. *)

From Coq Require Import ZArith NArith List Bool String Ascii.
From Vouch Require Import lib.Size array.Syntax imp.Flat imp.Gather certify.Checked.
From Vouch Require Export certify.Elements.
Import ListNotations.
Local Open Scope string_scope.

Definition text : Type := string -> string.

Definition say (s : string) : text := fun rest => s ++ rest.
Definition join (a b : text) : text := fun rest => a (b rest).
Infix "+++" := join (at level 60, right associativity).

(* Blocks that lie deeper than [most_indent] are not moved further: a text is as long as what it says. *)
Definition most_indent : nat := 32.
Definition line (indent : nat) (t : text) : text :=
  say (String.concat "" (repeat "  " (Nat.min indent most_indent))) +++ t +++ say newline.

Definition digit (n : N) : ascii :=
  ascii_of_N (if N.ltb n 10 then 48 + n else 87 + n).

(** Digits in base b; [fuel] bounds their number. *)
Fixpoint digits (fuel : nat) (b n : N) (rest : string) : string :=
  match fuel with
  | O => rest
  | S f =>
      let (q, r) := N.div_eucl n b in
      let rest1 := String (digit r) rest in
      if N.eqb q 0 then rest1 else digits f b q rest1
  end.

Definition decimal (n : N) : text := digits (S (N.size_nat n)) 10 n.
Definition hexadecimal (n : N) : text := digits (S (N.size_nat n)) 16 n.
Definition number (n : nat) : text := decimal (N.of_nat n).

Definition signed (z : Z) : text :=
  if Z.ltb z 0 then say "-" +++ decimal (Z.to_N (- z)) else decimal (Z.to_N z).

(** Loop variables come after the output, by the depth at which they are declared; a loop without a
    name, or with "", is i and its number. *)
Record names : Type := {
  var_names : list string;
  size_names : list string;
  element_types : elements;
  loop_names : list string
}.

Definition declared (nm : names) : names := {|
  var_names := var_names nm; size_names := size_names nm; element_types := element_types nm;
  loop_names := [] |}.

Definition binary (op : string) (a b : text) : text :=
  say "(" +++ a +++ say op +++ b +++ say ")".

Definition call (f : string) (args : text) : text := say f +++ say "(" +++ args +++ say ")".

Section PRINT.
  Context (nm : names).

  (** The number of inputs; the output is the last name. *)
  Definition output : nat := pred (List.length (var_names nm)).

  Definition c_var (v : nat) : text :=
    if Nat.leb v output then say (nth v (var_names nm) "") else say "v" +++ number v.

  Definition c_loop (i : nat) : text :=
    match nth (i - S output) (loop_names nm) "" with
    | EmptyString => say "i" +++ number i
    | s => say s
    end.

  Definition c_part (p : part) (v : nat) : text :=
    let all := say (nth v (size_names nm) "") in
    let by_number d := decimal (Npos d) in
    match p with
    | Quot d => binary " / " all (by_number d)
    | Rem d => binary " % " all (by_number d)
    | Digit d c => binary " % " (binary " / " all (by_number d)) (by_number c)
    | Started d => binary " / " (binary " + " (binary " % " all (by_number d)) (decimal (N.pred (Npos d)))) (by_number d)
    end.

  Fixpoint c_size (s : size) : text :=
    match s with
    | SVar v => say (nth v (size_names nm) "")
    | SConst c => decimal c
    | SAdd a b => binary " + " (c_size a) (c_size b)
    | SMul a b => binary " * " (c_size a) (c_size b)
    | SPart p v => c_part p v
    end.

  Fixpoint c_index (e : ixe) : text :=
    match e with
    | XVar i => c_loop i
    | XSize s => c_size s
    | XAdd a b => binary " + " (c_index a) (c_index b)
    | XSub a b => binary " - " (c_index a) (c_index b)
    | XMul a b => binary " * " (c_index a) (c_index b)
    | XDiv a b => binary " / " (c_index a) (c_index b)
    | XMod a b => binary " % " (c_index a) (c_index b)
    end.

  Fixpoint c_guard (g : guard) : text :=
    match g with
    | GLess a b => binary " < " (c_index a) (c_index b)
    | GEqual a b => binary " == " (c_index a) (c_index b)
    | GAnd g1 g2 => binary " && " (c_guard g1) (c_guard g2)
    | GOr g1 g2 => binary " || " (c_guard g1) (c_guard g2)
    | GNot g1 => say "(!" +++ c_guard g1 +++ say ")"
    end.

  Definition c_letter (t : element) : string := match t with F32 => "f" | _ => "" end.

  (** m * 2^e; negative constants in parentheses. *)
  Definition c_magnitude (t : element) (m : N) (e : Z) : text :=
    if Z.eqb e 0 then decimal m +++ (if is_float t then say ".0" +++ say (c_letter t) else fun rest => rest)
    else say "0x" +++ hexadecimal m +++ say "p" +++ signed e +++ say (c_letter t).

  Definition c_const (t : element) (c : const) : text :=
    match c with
    | Dyadic m e =>
        if Z.ltb m 0 then say "(-" +++ c_magnitude t (Z.to_N (- m)) e +++ say ")"
        else c_magnitude t (Z.to_N m) e
    | Infinity false => say "INFINITY"
    | Infinity true => say "(-INFINITY)"
    | Ordinal => say ""
    end.

  Definition c_op1 (t : element) (o : uop) (a : text) : text :=
    match o with
    | Neg => if is_float t then say "(-" +++ a +++ say ")" else call (c_function1 t o) a
    | _ => call (c_function1 t o) a
    end.

  Definition c_one (t : element) : text := c_magnitude t 1 0.
  Definition c_nought (t : element) : text := c_magnitude t 0 0.

  Definition truth (t : element) (op : string) (a b : text) : text :=
    say "(" +++ a +++ say op +++ b +++ say " ? " +++ c_one t +++ say " : " +++ c_nought t +++ say ")".

  Definition c_operator (o : bop) : string :=
    match o with
    | Add => " + "
    | Sub => " - "
    | Mul => " * "
    | _ => " / "
    end.

  Definition c_op2 (t : element) (o : bop) (a b : text) : text :=
    let called := call (c_function2 t o) (a +++ say ", " +++ b) in
    match o with
    | Add | Sub | Mul | Div => if is_float t then binary (c_operator o) a b else called
    | Max | Min | Pow => called
    | Less | LessEq | Equal => truth t (c_function2 t o) a b
    end.

  Definition c_op3 (t : element) (o : top) (a b c : text) : text :=
    match o with
    | Fma => call (c_function3 t) (a +++ say ", " +++ b +++ say ", " +++ c)
    | Sel => say "(" +++ a +++ say " != " +++ c_nought t +++ say " ? " +++ b +++ say " : " +++ c +++ say ")"
    end.

  (** A scalar output is written through its pointer. *)
  Definition c_access (v : nat) (i : option ixe) : text :=
    match i with
    | None => if Nat.eqb v output then c_var v +++ say "[0]" else c_var v
    | Some e => c_var v +++ say "[" +++ c_index e +++ say "]"
    end.

  (** A constant that is negated is in parentheses: (-(3.0f)), whereas (-3.0f) is a constant. *)
  Definition c_operand (t : element) (o : uop) (e : fexp) (a : text) : text :=
    match o, e with
    | Neg, FConst _ => if is_float t then say "(" +++ a +++ say ")" else a
    | _, _ => a
    end.

  (** As a value of type t. *)
  Fixpoint c_expr (t : element) (e : fexp) : text :=
    match e with
    | FRead v i => c_access v i
    | FConst c => c_const t c
    | FIndex i => call (c_position t) (c_index i)
    | FOp1 (Cast s d) e1 => c_op1 d (Cast s d) (c_expr s e1)
    | FOp1 o e1 => c_op1 t o (c_operand t o e1 (c_expr t e1))
    | FOp2 o e1 e2 => c_op2 t o (c_expr t e1) (c_expr t e2)
    | FOp3 o e1 e2 e3 => c_op3 t o (c_expr t e1) (c_expr t e2) (c_expr t e3)
    | FIf g e1 e2 =>
        say "(" +++ c_guard g +++ say " ? " +++ c_expr t e1 +++ say " : " +++ c_expr t e2 +++ say ")"
    end.

  (** What variable v holds, and what temporaries do. *)
  Definition c_element (v : nat) : element := element_of (element_types nm) v.
  Definition c_temporary : element := computed (element_types nm).

  (** Small arrays of constant size live on the stack. *)
  Definition on_stack (n : size) : bool :=
    match n with
    | SConst c => N.leb 1 c && N.leb c 4096
    | _ => false
    end.

  (** There may be no block of what is small: then threads are not asked for. *)
  Fixpoint counts_blocks (n : size) : bool :=
    match n with
    | SVar _ | SConst _ => false
    | SAdd a b | SMul a b => counts_blocks a || counts_blocks b
    | SPart _ _ => true
    end.

  (** A short loop around an unrolled one: compilers would unroll it as well, and then have more values at hand
      than registers. *)
  Definition stays_loop (n : size) (body : fcomm) : bool :=
    match n, body with
    | SConst c, FFor Unr _ _ _ => N.leb 2 c && N.leb c 16
    | _, _ => false
    end.

  Definition c_pragma (indent : nat) (k : kind) (n : size) (body : fcomm) : text :=
    match k with
    | Seq => if stays_loop n body then line indent (say "#pragma GCC unroll 1") else fun rest => rest
    | Par =>
        let shared := line indent (say "#pragma omp parallel for") in
        if counts_blocks n then line indent (say "if (0 < " +++ c_size n +++ say ")") +++ shared else shared
    | Vec => line indent (say "#pragma omp simd")
    | Unr => line indent (say "#pragma GCC unroll 16")
    end.

  Definition c_new (t : element) : string := "new_" ++ word_of t ++ "s".

  (** A read at an index that is data: see imp/Gather.v. *)
  Definition c_gather (indent : nat) (p : gather) : text :=
    let name := c_loop (ga_index p) in
    line indent (say "{") +++
    line (S indent) (say "int64_t " +++ name +++ say " = " +++ c_expr I64 (ga_from p) +++ say ";") +++
    line (S indent) (say "if (0 <= " +++ name +++ say " && " +++ name +++ say " < " +++
                     c_size (ga_count p) +++ say ") " +++ c_access (ga_var p) (ga_at p) +++ say " = " +++
                     c_expr (c_element (ga_var p)) (ga_value p) +++ say ";") +++
    line indent (say "}").

  (** The greatest of these differences and nought; the least of them and n. *)
  Definition c_differences (f : string) (l : list (ixe * ixe)) (last : text) : text :=
    fold_right (fun p rest => call f (c_index (fst p) +++ say ", " +++ c_index (snd p) +++ say ", " +++ rest)) last l.

  Fixpoint c_stmt (indent : nat) (c : fcomm) : text :=
    match c with
    | FSkip => line indent (say ";")
    | FSeq c1 c2 => c_stmt indent c1 +++ c_stmt indent c2
    | FAssign v i e =>
        line indent (c_access v i +++ say " = " +++ c_expr (c_element v) e +++ say ";")
    | FNew v n c1 =>
        let inside := S indent in
        let held := say (c_type c_temporary) in
        line indent (say "{") +++
        match n with
        | None => line inside (held +++ say " " +++ c_var v +++ say ";") +++ c_stmt inside c1
        | Some n1 =>
            if on_stack n1 then
              line inside (held +++ say " " +++ c_var v +++ say "[" +++ c_size n1 +++
                           say "] __attribute__((aligned(64)));") +++
              c_stmt inside c1
            else
              line inside (held +++ say " *restrict " +++ c_var v +++ say " = " +++
                           say (c_new c_temporary) +++ say "(" +++ c_size n1 +++ say ", failed);") +++
              line inside (say "if (" +++ c_var v +++ say ") {") +++
              c_stmt (S inside) c1 +++
              line inside (say "}") +++
              line inside (say "free(" +++ c_var v +++ say ");")
        end +++
        line indent (say "}")
    | FFor k i n c1 =>
        match gather_of c with
        | Some p => c_gather indent p
        | None =>
            let name := c_loop i in
            c_pragma indent k n c1 +++
            line indent (say "for (int64_t " +++ name +++ say " = 0; " +++ name +++ say " < " +++
                         c_size n +++ say "; " +++ name +++ say " += 1) {") +++
            c_stmt (S indent) c1 +++
            line indent (say "}")
        end
    | FWithin i n lo hi c1 =>
        let name := c_loop i in
        line indent (say "for (int64_t " +++ name +++ say " = " +++ c_differences c_at_least lo (say "0") +++
                     say "; " +++ name +++ say " < " +++ c_differences c_at_most hi (c_size n) +++ say "; " +++
                     name +++ say " += 1) {") +++
        c_stmt (S indent) c1 +++
        line indent (say "}")
    end.

  (** Sizes, inputs, output. A scalar input is passed by value. [pointer] is "restrict ", or
      nothing where overlap is still to be looked for. *)
  Definition c_input (pointer : string) (v : nat) (d : ty) : text :=
    match d with
    | TNum =>
        (* the parameters of type int64_t, without const, are sizes *)
        (match c_element v with I64 => say "const " | _ => fun rest => rest end) +++
        say (c_type (c_element v)) +++ say " " +++ c_var v
    | TAry _ _ | TPair _ _ =>
        say "const " +++ say (c_type (c_element v)) +++ say " *" +++ say pointer +++ c_var v
    end.

  Fixpoint c_inputs (pointer : string) (v : nat) (G : list ty) : text :=
    match G with
    | [] => fun rest => rest
    | d :: G1 => c_input pointer v d +++ say ", " +++ c_inputs pointer (S v) G1
    end.

  Definition c_sizes : text :=
    fold_right (fun s rest => say "int64_t " +++ say s +++ say ", " +++ rest) (fun rest => rest)
      (size_names nm).

  Definition c_parameters (pointer : string) (G : list ty) : text :=
    c_sizes +++ c_inputs pointer 0 G +++ say (c_type (c_element output)) +++ say " *" +++
    say pointer +++ c_var output.

  (** The same, as the arguments of a call. *)
  Definition c_arguments : text :=
    say (String.concat ", " (size_names nm ++ var_names nm)).

  (** Sums and products of sizes that stop at 2^63 - 1. *)
  Fixpoint c_stopped (s : size) : text :=
    match s with
    | SVar v => say (nth v (size_names nm) "")
    | SConst c => decimal c
    | SAdd a b => call "size_sum" (c_stopped a +++ say ", " +++ c_stopped b)
    | SMul a b => call "size_product" (c_stopped a +++ say ", " +++ c_stopped b)
    | SPart p v => c_part p v
    end.

  Definition c_condition (t : ctest) : text :=
    match t with
    | Negative v => say (nth v (size_names nm) "") +++ say " < 0"
    | TooLarge s => c_stopped s +++ say " == INT64_MAX"
    | Broken a b => c_stopped b +++ say " < " +++ c_stopped a
    | Missing v n => call "missing" (c_var v +++ say ", " +++ c_stopped n)
    | Overlap v n w m =>
        call "overlap" (c_var v +++ say ", " +++ c_stopped n +++ say ", " +++
                        c_var w +++ say ", " +++ c_stopped m)
    end.

  Definition c_test (t : ctest) : text :=
    line 1 (say "if (" +++ c_condition t +++ say ") return " +++ decimal (code_of t) +++ say ";").
End PRINT.

Definition c_headers : string :=
"#define _POSIX_C_SOURCE 200112L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#pragma GCC diagnostic ignored ""-Wunused-parameter""
#pragma GCC diagnostic ignored ""-Wtautological-compare""
#pragma GCC diagnostic ignored ""-Wunused-but-set-variable""
#ifdef __clang__
#pragma clang diagnostic ignored ""-Wpass-failed""
#endif
".

(** The types of parameters that C99 keeps in a header. *)
Definition c_stdbool : string := "#include <stdbool.h>
".

Definition uses_truths (nm : names) : bool := existsb (element_eqb B8) (stored (element_types nm)).

(** Names that C does not have. *)
Definition c_typedef (t : element) : string := "typedef " ++ c_held t ++ " " ++ c_type t ++ ";" ++ newline.

Definition types_named (nm : names) : list element :=
  filter (fun t => existsb (element_eqb t) (stored (element_types nm))) named_types.

(** Said where it is not [float]: what literals and temporaries are. *)
Definition c_computed (t : element) : string :=
  match t with
  | F32 => ""
  | _ => "/* Elements are computed as " ++ c_type t ++ ". */" ++ newline
  end.

(** [(size_t)n * 8 + 64] is what fits where [alloc_bytes] does. *)
Definition c_allocator (t : element) : string :=
"static " ++ c_type t ++ " *" ++ c_new t ++ "(int64_t n, int *failed) {
  void *p = NULL;
  if (posix_memalign(&p, 64, (size_t)n * " ++ decimal (bytes t) "" ++ " + 64)) {
    __atomic_store_n(failed, 1, __ATOMIC_RELAXED);
    return NULL;
  }
  return p;
}

static void no_memory(void) {
  fputs(""out of memory\n"", stderr);
  abort();
}
".

(** What [sum_of], [product_of], [Missing] and [Overlap] say. *)
Definition c_size_sum : string :=
"static int64_t size_sum(int64_t a, int64_t b) {
  return INT64_MAX - b < a ? INT64_MAX : a + b;
}
".

Definition c_size_product : string :=
"static int64_t size_product(int64_t a, int64_t b) {
  return b == 0 ? 0 : INT64_MAX / b < a ? INT64_MAX : a * b;
}
".

Definition c_missing : string :=
"static int missing(const void *p, int64_t n) {
  return p == NULL && 0 < n;
}
".

Definition c_overlap : string :=
"static int overlap(const void *p, int64_t n, const void *q, int64_t m) {
  uintptr_t a = (uintptr_t)p;
  uintptr_t b = (uintptr_t)q;
  return 0 < n && 0 < m && (a < b ? b - a < (uintptr_t)n : a - b < (uintptr_t)m);
}
".

(** Some array is too large for the stack. *)
Fixpoint needs_heap (c : fcomm) : bool :=
  match c with
  | FSkip | FAssign _ _ _ => false
  | FSeq c1 c2 => needs_heap c1 || needs_heap c2
  | FNew _ n c1 => match n with Some s => negb (on_stack s) | None => false end || needs_heap c1
  | FFor _ _ _ c1 | FWithin _ _ _ _ c1 => needs_heap c1
  end.

Definition nothing : text := fun rest => rest.

Definition c_tried (name : string) : string := name ++ "_tried".
Definition c_checked_name (name : string) : string := name ++ "_checked".

(** The function that stops where memory cannot be had. *)
Definition c_stopping (name : string) (nm : names) (G : list ty) : text :=
  say newline +++
  line 0 (say "void " +++ say name +++ say "(" +++ c_parameters nm "restrict " G +++ say ") {") +++
  line 1 (say "int failed[1] = {0};") +++
  line 1 (say (c_tried name) +++ say "(" +++ c_arguments nm +++ say ", failed);") +++
  line 1 (say "if (failed[0]) no_memory();") +++
  line 0 (say "}").

Definition c_text (name : string) (nm : names) (G : list ty) (c : fcomm) : string :=
  let t := computed (element_types nm) in
  (say c_headers +++ (if uses_truths nm then say c_stdbool else nothing) +++ say newline +++
   fold_right (fun s rest => say (c_typedef s) +++ rest) nothing (types_named nm) +++
   say (c_computed t) +++
   fold_right (fun f rest => say f +++ say newline +++ rest) nothing (defined (element_types nm) c) +++
   (if needs_heap c
    then say (c_allocator t) +++ say newline +++ say "static void " +++ say (c_tried name)
    else say "void " +++ say name) +++
   line 0 (say "(" +++ c_parameters nm "restrict " G +++
           (if needs_heap c then say ", int *failed" else nothing) +++ say ") {") +++
   c_stmt nm 1 c +++ line 0 (say "}") +++
   (if needs_heap c then c_stopping name nm G else nothing)) "".

Fixpoint has_sum (s : size) : bool :=
  match s with
  | SVar _ | SConst _ | SPart _ _ => false
  | SAdd _ _ => true
  | SMul a b => has_sum a || has_sum b
  end.

Fixpoint has_product (s : size) : bool :=
  match s with
  | SVar _ | SConst _ | SPart _ _ => false
  | SMul _ _ => true
  | SAdd a b => has_product a || has_product b
  end.

Definition sizes_of_test (t : ctest) : list size :=
  match t with
  | Negative _ => []
  | TooLarge s => [s]
  | Broken a b => [a; b]
  | Missing _ n => [n]
  | Overlap _ n _ m => [n; m]
  end.

Definition is_overlap (t : ctest) : bool := match t with Overlap _ _ _ _ => true | _ => false end.

(** The functions that the tests call. *)
Definition c_testers (l : list ctest) : list string :=
  let sizes := flat_map sizes_of_test l in
  (if existsb has_sum sizes then [c_size_sum] else []) ++
  (if existsb has_product sizes then [c_size_product] else []) ++
  [c_missing] ++ (if existsb is_overlap l then [c_overlap] else []).

Definition c_checked (name : string) (nm : names) (G : list ty) (heap : bool) (l : list ctest)
  : string :=
  (fold_right (fun f rest => say newline +++ say f +++ rest) nothing (c_testers l) +++
   say newline +++
   line 0 (say "int " +++ say (c_checked_name name) +++ say "(" +++ c_parameters nm "" G +++
           say ") {") +++
   fold_right (fun t rest => c_test nm t +++ rest) nothing l +++
   (if heap then
      line 1 (say "int failed[1] = {0};") +++
      line 1 (say (c_tried name) +++ say "(" +++ c_arguments nm +++ say ", failed);") +++
      line 1 (say "return failed[0] ? " +++ decimal no_memory_code +++ say " : 0;")
    else
      line 1 (say name +++ say "(" +++ c_arguments nm +++ say ");") +++
      line 1 (say "return 0;")) +++
   line 0 (say "}")) "".
