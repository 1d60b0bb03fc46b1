(** Expressions of the C subset as they are written, before names and types are looked up, and
    their parser.

    [ctree]     an expression
    [ptree]     its parser; every operator is in parentheses, so precedence does not matter:
<<
      e ::= name | number | name [ e ] | name ( e {, e} ) | ( e ) | ( - e ) | ( ! e )
          | ( e op e ) | ( e ? e : e ) | ( e op e ? e : e )
>> *)

From Coq Require Import NArith List Bool String Ascii.
From Vouch Require Import certify.Token.
Import ListNotations.
Local Open Scope string_scope.

Inductive ctree : Type :=
| TWord (s : string)
| TIndex (s : string) (e : ctree)
| TCall1 (f : string) (a : ctree)
| TCall2 (f : string) (a b : ctree)
| TCall3 (f : string) (a b c : ctree)
| TParen (a : ctree)
| TMinus (a : ctree)
| TNot (a : ctree)
| TBin (op : string) (a b : ctree)
| TCond (a b c : ctree).

(** A parser takes tokens and gives a result with the tokens that are left. *)
Definition parser (A : Type) : Type := list token -> option (A * list token).

Definition bind {A B : Type} (p : parser A) (f : A -> parser B) : parser B := fun l =>
  match p l with
  | Some (a, rest) => f a rest
  | None => None
  end.

Definition ret {A : Type} (a : A) : parser A := fun l => Some (a, l).
Definition fail {A : Type} : parser A := fun _ => None.
Definition lift {A : Type} (o : option A) : parser A := fun l =>
  match o with Some a => Some (a, l) | None => None end.

Notation "x <- p ; q" := (bind p (fun x => q))
  (at level 61, p at next level, right associativity).
Notation "p >> q" := (bind p (fun _ => q)) (at level 61, right associativity).

Definition any_word : parser string := fun l =>
  match l with Word s :: rest => Some (s, rest) | _ => None end.
Definition any_sign : parser string := fun l =>
  match l with Sign s :: rest => Some (s, rest) | _ => None end.
Definition word (s : string) : parser unit := fun l =>
  match l with Word t :: rest => if String.eqb s t then Some (tt, rest) else None | _ => None end.
Definition sign (s : string) : parser unit := fun l =>
  match l with Sign t :: rest => if String.eqb s t then Some (tt, rest) else None | _ => None end.

(** The next token, without taking it. *)
Definition peek : parser token := fun l =>
  match l with t :: _ => Some (t, l) | [] => None end.
(** The one after n others. *)
Definition peek_after (n : nat) : parser token := fun l =>
  match nth_error l n with Some t => Some (t, l) | None => None end.
Definition is_next (s : string) : parser bool := fun l =>
  match l with Sign t :: _ => Some (String.eqb s t, l) | _ => Some (false, l) end.

Definition operators : list string := ["+"; "-"; "*"; "/"; "%"; "<"; "<="; "=="; "!="; "&&"; "||"].

Definition is_operator (s : string) : bool := existsb (String.eqb s) operators.

(** In [( e op e ? e : e )] the operator must bind more than the conditional: all do. *)
Fixpoint ptree (fuel : nat) : parser ctree :=
  match fuel with
  | O => fail
  | S n =>
      let e := ptree n in
      t <- peek;
      match t with
      | Word _ =>
          s <- any_word;
          index <- is_next "[";
          if index then sign "[" >> i <- e; sign "]" >> ret (TIndex s i) else
          called <- is_next "(";
          if called then
            sign "(" >> a <- e; s1 <- any_sign;
            if String.eqb s1 ")" then ret (TCall1 s a) else
            if negb (String.eqb s1 ",") then fail else
            b <- e; s2 <- any_sign;
            if String.eqb s2 ")" then ret (TCall2 s a b) else
            if negb (String.eqb s2 ",") then fail else
            c <- e; sign ")" >> ret (TCall3 s a b c)
          else ret (TWord s)
      | Sign _ =>
          sign "(" >>
          minus <- is_next "-";
          if minus then sign "-" >> a <- e; sign ")" >> ret (TMinus a) else
          negated <- is_next "!";
          if negated then sign "!" >> a <- e; sign ")" >> ret (TNot a) else
          a <- e; s <- any_sign;
          if String.eqb s ")" then ret (TParen a) else
          if String.eqb s "?" then
            b <- e; sign ":" >> c <- e; sign ")" >> ret (TCond a b c)
          else if negb (is_operator s) then fail else
          b <- e; s1 <- any_sign;
          if String.eqb s1 ")" then ret (TBin s a b) else
          if negb (String.eqb s1 "?") then fail else
          c <- e; sign ":" >> d <- e; sign ")" >> ret (TCond (TBin s a b) c d)
      | Pragma _ => fail
      end
  end.
