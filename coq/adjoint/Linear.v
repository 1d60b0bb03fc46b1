(** Linear forms over a table of atoms: index variables, products of size variables, and quotients
    by numbers.

    [lin]       linear forms; [lin_val v] their value at the values v of the atoms
    [entry]     an atom; a [table] is a list of them, quotients after what they divide
    [lin_of]    a term as a linear form over a table, where the table has its atoms
    [with_cond] a table with the atoms of a condition *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics index.Kernel.
Import ListNotations.
Local Open Scope Z_scope.

(** ** Linear forms *)

Definition lin : Type := list Z * Z.

Fixpoint dot (c v : list Z) : Z :=
  match c, v with
  | a :: c1, x :: v1 => a * x + dot c1 v1
  | _, _ => 0
  end.

Definition lin_val (v : list Z) (l : lin) : Z := dot (fst l) v + snd l.

Fixpoint coeffs_add (c d : list Z) : list Z :=
  match c, d with
  | [], _ => d
  | _, [] => c
  | a :: c1, b :: d1 => (a + b) :: coeffs_add c1 d1
  end.

Definition lin_add (k l : lin) : lin := (coeffs_add (fst k) (fst l), snd k + snd l).
Definition lin_scale (a : Z) (l : lin) : lin := (map (Z.mul a) (fst l), a * snd l).
Definition lin_const (a : Z) : lin := ([], a).
Definition lin_atom (n : nat) : lin := (repeat 0 n ++ [1], 0).
Definition lin_sub (k l : lin) : lin := lin_add k (lin_scale (-1) l).

Lemma dot_nil v : dot [] v = 0.
Proof. destruct v; reflexivity. Qed.

Lemma dot_add c : forall d v, dot (coeffs_add c d) v = dot c v + dot d v.
Proof.
  induction c as [|a c IHc]; intros [|b d] [|x v]; cbn [coeffs_add dot]; try lia.
  rewrite IHc. lia.
Qed.

Lemma dot_scale a c : forall v, dot (map (Z.mul a) c) v = a * dot c v.
Proof. induction c as [|b c IHc]; intros [|x v]; cbn [map dot]; rewrite ?IHc; lia. Qed.

Lemma dot_unit n : forall v, dot (repeat 0 n ++ [1]) v = nth n v 0.
Proof.
  induction n as [|n IHn]; intros [|x v]; cbn [repeat app dot nth]; rewrite ?dot_nil; try lia.
  rewrite IHn. lia.
Qed.

Lemma lin_add_val v k l : lin_val v (lin_add k l) = lin_val v k + lin_val v l.
Proof. unfold lin_val, lin_add. cbn. rewrite dot_add. lia. Qed.

Lemma lin_scale_val v a l : lin_val v (lin_scale a l) = a * lin_val v l.
Proof. unfold lin_val, lin_scale. cbn. rewrite dot_scale. lia. Qed.

Lemma lin_const_val v a : lin_val v (lin_const a) = a.
Proof. reflexivity. Qed.

Lemma lin_atom_val v n : lin_val v (lin_atom n) = nth n v 0.
Proof. unfold lin_val, lin_atom. cbn [fst snd]. rewrite dot_unit. lia. Qed.

Lemma lin_sub_val v k l : lin_val v (lin_sub k l) = lin_val v k - lin_val v l.
Proof. unfold lin_sub. rewrite lin_add_val, lin_scale_val. lia. Qed.

(** ** Atoms *)

Inductive entry : Type :=
| EVar (i : nat)
| EMono (m : mono)
| EDiv (l : lin) (m : positive).

Definition entry_eq_dec (a b : entry) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.

Definition table : Type := list entry.

Fixpoint position (e : entry) (t : table) : option nat :=
  match t with
  | [] => None
  | f :: r => if entry_eq_dec e f then Some O else option_map S (position e r)
  end.

Fixpoint poly_lin (at_mono : mono -> option lin) (p : poly) : option lin :=
  match p with
  | [] => Some (lin_const 0)
  | ([], c) :: r => option_map (lin_add (lin_const c)) (poly_lin at_mono r)
  | (m, c) :: r =>
      match at_mono m, poly_lin at_mono r with
      | Some l, Some k => Some (lin_add (lin_scale c l) k)
      | _, _ => None
      end
  end.

Definition atom_of (tab : table) (e : entry) : option lin := option_map lin_atom (position e tab).

(** What is a multiple of the divisor is taken out of a quotient. *)
Definition whole_part (l : lin) (m : positive) : lin := (map (fun a => a / Zpos m) (fst l), snd l / Zpos m).

(** Without zeros at the end, so that equal quotients are one atom. *)
Definition trimmed (c : list Z) : list Z :=
  fold_right (fun a r => match r with [] => if a =? 0 then [] else [a] | _ => a :: r end) [] c.
Definition rest_part (l : lin) (m : positive) : lin :=
  (trimmed (map (fun a => a mod Zpos m) (fst l)), snd l mod Zpos m).

Definition quotient (tab : table) (l : lin) (m : positive) : option lin :=
  let rest := rest_part l m in
  if forallb (Z.eqb 0) (fst rest) then Some (whole_part l m)
  else option_map (lin_add (whole_part l m)) (atom_of tab (EDiv rest m)).

Lemma dot_parts m c : forall v,
  dot c v = Zpos m * dot (map (fun a => a / Zpos m) c) v + dot (map (fun a => a mod Zpos m) c) v.
Proof.
  induction c as [|a c IHc]; intros [|x v]; cbn [map dot]; try lia.
  rewrite (IHc v). pose proof (Z.div_mod a (Zpos m)). nia.
Qed.

Lemma dot_trimmed c : forall v, dot (trimmed c) v = dot c v.
Proof.
  unfold trimmed. induction c as [|a c IHc]; intros v; [reflexivity|]. cbn [fold_right].
  destruct v as [|x v].
  - destruct (fold_right _ [] c); [destruct (a =? 0)|]; reflexivity.
  - cbn [dot]. rewrite <- (IHc v). destruct (fold_right _ [] c) as [|b r]; [|reflexivity].
    destruct (Z.eqb_spec a 0) as [->|]; cbn [dot]; rewrite ?dot_nil; lia.
Qed.

Lemma parts_val v l m : lin_val v l = Zpos m * lin_val v (whole_part l m) + lin_val v (rest_part l m).
Proof.
  unfold lin_val, whole_part, rest_part. cbn [fst snd]. rewrite dot_trimmed, (dot_parts m (fst l) v).
  pose proof (Z.div_mod (snd l) (Zpos m)). lia.
Qed.

Lemma zeros_dot c : forall v, forallb (Z.eqb 0) c = true -> dot c v = 0.
Proof.
  induction c as [|a c IHc]; intros [|x v]; cbn [dot forallb]; try reflexivity.
  rewrite andb_true_iff, Z.eqb_eq. intros [<- zeros]. rewrite IHc by assumption. lia.
Qed.

Fixpoint lin_of (tab : table) (t : iterm) : option lin :=
  match t with
  | IVar i => atom_of tab (EVar i)
  | ICon z => Some (lin_const z)
  | ISize s => poly_lin (fun m => atom_of tab (EMono m)) (norm s)
  | IAdd a b =>
      match lin_of tab a, lin_of tab b with
      | Some k, Some l => Some (lin_add k l)
      | _, _ => None
      end
  | IScale c a => option_map (lin_scale c) (lin_of tab a)
  | IDiv a m => match lin_of tab a with Some l => quotient tab l m | None => None end
  | IMod a m =>
      match lin_of tab a with
      | Some l => option_map (fun q => lin_sub l (lin_scale (Zpos m) q)) (quotient tab l m)
      | None => None
      end
  end.

(** The table with the atoms of a term added; nothing is owed to it. *)
Definition with_entry (e : entry) (tab : table) : table :=
  match position e tab with Some _ => tab | None => tab ++ [e] end.

Definition with_size (s : size) (tab : table) : table :=
  fold_left (fun t mc => match fst mc with [] => t | m => with_entry (EMono m) t end) (norm s) tab.

Fixpoint with_term (tab : table) (t : iterm) : table :=
  match t with
  | IVar i => with_entry (EVar i) tab
  | ICon _ => tab
  | ISize s => with_size s tab
  | IAdd a b => with_term (with_term tab a) b
  | IScale _ a => with_term tab a
  | IDiv a m | IMod a m =>
      let tab1 := with_term tab a in
      match lin_of tab1 a with Some l => with_entry (EDiv (rest_part l m) m) tab1 | None => tab1 end
  end.

Fixpoint with_cond (tab : table) (c : icond) : table :=
  match c with
  | CTrue => tab
  | CLe a b | CEq a b => with_term (with_term tab a) b
  | CAnd d e | COr d e => with_cond (with_cond tab d) e
  | CNot d => with_cond tab d
  end.

(** Quotients come after the atoms of what they divide. *)
Fixpoint ordered (before : nat) (tab : table) : bool :=
  match tab with
  | [] => true
  | EDiv l _ :: r => Nat.leb (length (fst l)) before && ordered (S before) r
  | _ :: r => ordered (S before) r
  end.

Fixpoint defining (before : nat) (tab : table) : list lin :=
  match tab with
  | [] => []
  | EDiv l m :: r =>
      let rest := lin_sub l (lin_scale (Zpos m) (lin_atom before)) in
      rest :: lin_sub (lin_const (Zpos m - 1)) rest :: defining (S before) r
  | _ :: r => lin_atom before :: defining (S before) r
  end.
