(** From written expressions to flat ones: names are looked up, literals read.

    [scope]          the names of a function: variables in order (the last is the output), sizes,
                     and what is declared around a place
    [find_var] [find_loop] [find_size]   what a name stands for
    [index_of] [guard_of] [exp_of]       an expression as index term, condition, scalar
    The number of a temporary is part of its name: v12. That of a loop variable follows that of the
    output by the depth of its declaration; no name is declared again inside. *)

From Coq Require Import ZArith NArith List Bool String Ascii.
From Vouch Require Import lib.Size array.Syntax imp.Flat certify.Elements certify.CTree.
Import ListNotations.
Local Open Scope string_scope.

Definition digit_value (b : N) (c : ascii) : option N :=
  let n := N_of_ascii c in
  let d := if (N.leb 48 n && N.leb n 57)%bool then Some (n - 48)%N
           else if (N.leb 97 n && N.leb n 102)%bool then Some (n - 87)%N else None in
  match d with
  | Some v => if N.ltb v b then d else None
  | None => None
  end.

(** One digit or more, then the rest. *)
Fixpoint read_digits (b acc : N) (any : bool) (s : string) : option (N * string) :=
  let stop := if any then Some (acc, s) else None in
  match s with
  | EmptyString => stop
  | String c rest =>
      match digit_value b c with
      | Some d => read_digits b (acc * b + d) true rest
      | None => stop
      end
  end.

(** In C a leading zero makes a number octal. *)
Definition octal (s : string) : bool :=
  match s with
  | String c (String d _) =>
      Ascii.eqb c "0" && match digit_value 10 d with Some _ => true | None => false end
  | _ => false
  end.

Definition read_decimal (s : string) : option (N * string) :=
  if octal s then None else read_digits 10 0 false s.

(** A literal of C's type [int64_t], or of a narrower one. *)
Definition read_number (s : string) : option N :=
  match read_decimal s with
  | Some (n, EmptyString) => if N.ltb n (2 ^ 63) then Some n else None
  | _ => None
  end.

(** 12.0f, or 0x1ap-3f; of a double, no letter at the end. *)
Definition read_float (letter s : string) : option const :=
  let ends_so (rest : string) (c : const) : option const :=
    if String.eqb rest letter then Some c else None in
  match s with
  | String "0" (String "x" hex) =>
      match read_digits 16 0 false hex with
      | Some (m, String "p" (String "-" e)) =>
          match read_decimal e with
          | Some (n, rest) => ends_so rest (Dyadic (Z.of_N m) (- Z.of_N n))
          | None => None
          end
      | Some (m, String "p" e) =>
          match read_decimal e with
          | Some (n, rest) => ends_so rest (Dyadic (Z.of_N m) (Z.of_N n))
          | None => None
          end
      | _ => None
      end
  | _ =>
      match read_decimal s with
      | Some (m, String "." (String "0" rest)) => ends_so rest (Dyadic (Z.of_N m) 0)
      | _ => if String.eqb s "INFINITY" then Some (Infinity false) else None
      end
  end.

Definition read_const (t : element) (s : string) : option const :=
  match t with
  | F32 => read_float "f" s
  | F64 => read_float "" s
  | _ => option_map (fun n => Dyadic (Z.of_N n) 0) (read_number s)
  end.

Definition negated (c : const) : option const :=
  match c with
  | Dyadic m e => if Z.eqb m 0 then None else Some (Dyadic (- m) e)
  | Infinity s => Some (Infinity (negb s))
  | Ordinal => None
  end.

Record scope : Type := {
  variables : list string;
  sizes : list string;
  types : elements;
  (* innermost first: loop variables; "" for a temporary *)
  around : list string
}.

Fixpoint position (s : string) (l : list string) : option nat :=
  match l with
  | [] => None
  | t :: rest => if String.eqb s t then Some 0 else option_map S (position s rest)
  end.

(** How many declarations are around that of s. *)
Fixpoint depth_of (s : string) (l : list string) : option nat :=
  match l with
  | [] => None
  | t :: rest => if String.eqb s t then Some (List.length rest) else depth_of s rest
  end.

Definition numbered (letter : ascii) (s : string) : option nat :=
  match s with
  | String c rest => if Ascii.eqb c letter then option_map N.to_nat (read_number rest) else None
  | EmptyString => None
  end.

Section SCOPE.
  Context (names : scope).

  Definition out : nat := pred (List.length (variables names)).

  (** Temporaries come after the output. *)
  Definition find_temporary (s : string) : option nat :=
    match numbered "v" s with
    | Some v => if Nat.ltb out v then Some v else None
    | None => None
    end.

  Definition find_var (s : string) : option nat :=
    match position s (variables names) with
    | Some v => Some v
    | None => find_temporary s
    end.

  Definition find_loop (s : string) : option nat :=
    option_map (fun depth => S (out + depth)) (depth_of s (around names)).
  Definition find_size (s : string) : option nat := position s (sizes names).

  (** The scope inside of a declaration, and the number that a loop variable of that name gets:
      none, if the name stands for something already. *)
  Definition inside (s : string) : scope := {|
    variables := variables names; sizes := sizes names; types := types names;
    around := s :: around names |}.

  Definition new_loop (s : string) : option nat :=
    match find_var s, find_size s, find_loop s with
    | None, None, None => Some (S (out + List.length (around names)))
    | _, _, _ => None
    end.

  Definition opt1 {A B : Type} (f : A -> B) (a : option A) : option B := option_map f a.
  Definition opt2 {A B C : Type} (f : A -> B -> C) (a : option A) (b : option B) : option C :=
    match a, b with Some x, Some y => Some (f x y) | _, _ => None end.
  Definition opt3 {A B C D : Type} (f : A -> B -> C -> D) (a : option A) (b : option B)
      (c : option C) : option D :=
    match a, b, c with Some x, Some y, Some z => Some (f x y z) | _, _, _ => None end.

  Definition divisor (s : string) : option positive :=
    match read_number s with Some (Npos d) => Some d | _ => None end.

  Definition part_of (e : ctree) : option size :=
    match e with
    | TBin "/" (TWord s) (TWord d) => opt2 (fun v d => SPart (Quot d) v) (find_size s) (divisor d)
    | TBin "%" (TWord s) (TWord d) => opt2 (fun v d => SPart (Rem d) v) (find_size s) (divisor d)
    | TBin "%" (TBin "/" (TWord s) (TWord d)) (TWord c) =>
        opt3 (fun v d c => SPart (Digit d c) v) (find_size s) (divisor d) (divisor c)
    | TBin "/" (TBin "+" (TBin "%" (TWord s) (TWord d)) (TWord r)) (TWord e) =>
        match find_size s, divisor d, read_number r, divisor e with
        | Some v, Some d, Some r, Some e =>
            if Pos.eqb d e && N.eqb r (N.pred (Npos d)) then Some (SPart (Started d) v) else None
        | _, _, _, _ => None
        end
    | _ => None
    end.

  Fixpoint size_of (e : ctree) : option size :=
    match e with
    | TWord s =>
        match find_size s with
        | Some v => Some (SVar v)
        | None => option_map SConst (read_number s)
        end
    | TBin "+" a b => opt2 SAdd (size_of a) (size_of b)
    | TBin "*" a b => opt2 SMul (size_of a) (size_of b)
    | _ => part_of e
    end.

  (** Differences by calls of [f], one inside of the other, and what is innermost. *)
  Fixpoint differences_of (f : string) (pair_of : ctree -> ctree -> option (ixe * ixe)) (e : ctree)
      : option (list (ixe * ixe) * ctree) :=
    match e with
    | TCall3 g a b rest =>
        if String.eqb g f then
          match pair_of a b, differences_of f pair_of rest with
          | Some p, Some (l, last) => Some (p :: l, last)
          | _, _ => None
          end
        else None
    | _ => Some ([], e)
    end.

  Definition index_of_word (s : string) : option ixe :=
    match find_size s with
    | Some v => Some (XSize (SVar v))
    | None =>
        match find_loop s with
        | Some i => Some (XVar i)
        | None => option_map (fun n => XSize (SConst n)) (read_number s)
        end
    end.

  Fixpoint index_of (e : ctree) : option ixe :=
    match e with
    | TWord s => index_of_word s
    | TBin op a b =>
        let both f := opt2 f (index_of a) (index_of b) in
        match op with
        | "+" => both XAdd
        | "-" => both XSub
        | "*" => both XMul
        | "/" => both XDiv
        | "%" => both XMod
        | _ => None
        end
    | _ => None
    end.

  Definition pair_of (a b : ctree) : option (ixe * ixe) := opt2 pair (index_of a) (index_of b).

  (** The bounds of a loop: differences for its first iteration; for its end, and the size among them. *)
  Definition first_bounds (e : ctree) : option (list (ixe * ixe)) :=
    match differences_of c_at_least pair_of e with
    | Some (l, TWord "0") => Some l
    | _ => None
    end.

  Definition end_bounds (e : ctree) : option (list (ixe * ixe) * size) :=
    match differences_of c_at_most pair_of e with
    | Some (l, last) => option_map (pair l) (size_of last)
    | None => None
    end.

  Fixpoint guard_of (e : ctree) : option guard :=
    match e with
    | TNot a => opt1 GNot (guard_of a)
    | TBin op a b =>
        match op with
        | "<" => opt2 GLess (index_of a) (index_of b)
        | "==" => opt2 GEqual (index_of a) (index_of b)
        | "&&" => opt2 GAnd (guard_of a) (guard_of b)
        | "||" => opt2 GOr (guard_of a) (guard_of b)
        | _ => None
        end
    | _ => None
    end.

  (** The output is only reached through its pointer. *)
  Definition plain_var (s : string) : option nat :=
    match find_var s with
    | Some v => if Nat.eqb v out then None else Some v
    | None => None
    end.

  (** The operation that a function is, among those given. *)
  Definition named {A : Type} (f : string) (name : A -> string) (l : list A) : option A :=
    find (fun o => String.eqb f (name o)) l.

  Definition functions1 (t : element) : list uop :=
    filter (op1_in t)
      (Abs :: if is_float t
        then [Sqrt; Exp; Log; Tanh; Erf; Sin; Cos; Floor; Ceil; Round; Tan; Asin; Acos; Atan; Sinh; Cosh; Asinh;
              Acosh; Atanh; ExpLanes; TanhLanes; ErfLanes]
        else [Neg]).

  Definition functions2 (t : element) : list bop :=
    filter (op2_in t) (Max :: Min :: if is_float t then [Pow] else [Add; Sub; Mul; Div]).

  Definition function1 (t : element) (f : string) : option uop := named f (c_function1 t) (functions1 t).
  Definition function2 (t : element) (f : string) : option bop := named f (c_function2 t) (functions2 t).

  (** From what, where the function is a conversion to t. *)
  Definition conversion_from (t : element) (f : string) : option element :=
    named f (fun s => c_function1 t (Cast s t)) (filter (fun s => castable s t) all_elements).

  Definition operator (op : string) : option bop :=
    match op with
    | "+" => Some Add
    | "-" => Some Sub
    | "*" => Some Mul
    | "/" => Some Div
    | _ => None
    end.

  Definition comparison (op : string) : option bop :=
    match op with
    | "<" => Some Less
    | "<=" => Some LessEq
    | "==" => Some Equal
    | _ => None
    end.

  (** A minus right in front of a literal belongs to the constant. *)
  Definition minus_of (t : element) (written : ctree) (e : option fexp) : option fexp :=
    match written, e with
    | TWord _, Some (FConst c) => option_map FConst (negated c)
    | _, _ => if is_float t then opt1 (FOp1 Neg) e else None
    end.

  Definition is_const (t : element) (c : const) (e : ctree) : bool :=
    match e with
    | TWord s =>
        match read_const t s, c with
        | Some (Dyadic m 0), Dyadic n 0 => Z.eqb m n
        | _, _ => false
        end
    | _ => false
    end.

  (** As a value of type t. *)
  Fixpoint exp_of (t : element) (e : ctree) : option fexp :=
    match e with
    | TWord s =>
        match plain_var s with
        | Some v => Some (FRead v None)
        | None => option_map FConst (read_const t s)
        end
    | TIndex s i => opt2 FRead (find_var s) (option_map Some (index_of i))
    | TCall1 f a =>
        if String.eqb f (c_position t) then opt1 FIndex (index_of a) else
        match conversion_from t f with
        | Some s => opt1 (FOp1 (Cast s t)) (exp_of s a)
        | None => opt2 FOp1 (function1 t f) (exp_of t a)
        end
    | TCall2 f a b => opt3 FOp2 (function2 t f) (exp_of t a) (exp_of t b)
    | TCall3 f a b c =>
        if is_float t && String.eqb f (c_function3 t)
        then opt3 (FOp3 Fma) (exp_of t a) (exp_of t b) (exp_of t c) else None
    | TParen a => exp_of t a
    | TMinus a => minus_of t a (exp_of t a)
    | TNot _ => None
    | TBin op a b => if is_float t then opt3 FOp2 (operator op) (exp_of t a) (exp_of t b) else None
    | TCond c a b =>
        match guard_of c with
        | Some g => opt2 (FIf g) (exp_of t a) (exp_of t b)
        | None =>
            match c with
            | TBin op x y =>
                if String.eqb op "!=" && is_const t zero y
                then opt3 (FOp3 Sel) (exp_of t x) (exp_of t a) (exp_of t b)
                else if is_const t one a && is_const t zero b
                then opt3 FOp2 (comparison op) (exp_of t x) (exp_of t y)
                else None
            | _ => None
            end
        end
    end.

  Definition place_of_tree (e : ctree) : option (nat * option ixe) :=
    match e with
    | TWord s => option_map (fun v => (v, None)) (plain_var s)
    | TIndex s i => opt2 (fun v j => (v, Some j)) (find_var s) (index_of i)
    | _ => None
    end.
End SCOPE.
