(** Elimination after Fourier and Motzkin, each new row divided by its content and rounded.

    [tightened]      a row over integers, divided by the content of its coefficients
    [eliminate]      the rows "0 <= linear form" have no solution; [eliminate_sound] *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics index.Kernel adjoint.Linear.
Import ListNotations.
Local Open Scope Z_scope.
Local Open Scope lazy_bool_scope.

(** ** Elimination *)

Definition nonneg (v : list Z) (l : lin) : Prop := 0 <= lin_val v l.

(** Divided by the content of its coefficients; the constant is rounded down. *)
Definition tightened (l : lin) : lin :=
  let g := fold_right Z.gcd 0 (fst l) in
  if g <=? 1 then l else (map (fun a => a / g) (fst l), snd l / g).

Definition head (l : lin) : Z := hd 0 (fst l).
Definition tail (l : lin) : lin := (tl (fst l), snd l).

(** What two rows with heads of opposite signs imply. *)
Definition combined (p n : lin) : lin := tightened (tail (lin_add (lin_scale (- head n) p) (lin_scale (head p) n))).

Fixpoint same_coeffs (c d : list Z) : bool :=
  match c, d with
  | [], _ => forallb (Z.eqb 0) d
  | _, [] => forallb (Z.eqb 0) c
  | a :: c1, b :: d1 => (a =? b) &&& same_coeffs c1 d1
  end.

(** A row is kept if none with the same coefficients says more. *)
Definition add_row (l : lin) (ls : list lin) : list lin :=
  if (0 <=? snd l) &&& forallb (Z.eqb 0) (fst l) then ls
  else if existsb (fun k => (snd k <=? snd l) &&& same_coeffs (fst k) (fst l)) ls then ls
  else l :: filter (fun k => negb (same_coeffs (fst k) (fst l))) ls.

Definition impossible (l : lin) : bool := (snd l <? 0) &&& forallb (Z.eqb 0) (fst l).

(** An equation with head 1 or -1, as the row with head 1. *)
Definition equation (ls : list lin) : option lin :=
  find (fun l => (head l =? 1) &&&
    existsb (fun k => (snd k =? - snd l) &&& same_coeffs (fst k) (map Z.opp (fst l))) ls) ls.

Definition without_head (ls : list lin) : list lin :=
  match equation ls with
  | Some eq => fold_right (fun l r => add_row (tightened (tail (lin_sub l (lin_scale (head l) eq)))) r) [] ls
  | None =>
      let up := filter (fun l => 0 <? head l) ls in
      let down := filter (fun l => head l <? 0) ls in
      let rest := map tail (filter (fun l => head l =? 0) ls) in
      fold_right add_row (fold_right add_row [] rest) (flat_map (fun p => map (combined p) down) up)
  end.

(** The atom that costs least goes first: one that an equation gives, or that few pairs of rows bound. *)
Fixpoint without (j : nat) (c : list Z) : list Z :=
  match c, j with
  | [], _ => []
  | _ :: r, O => r
  | a :: r, S i => a :: without i r
  end.
Definition bring (j : nat) (c : list Z) : list Z := nth j c 0 :: without j c.
Definition brought (j : nat) (ls : list lin) : list lin := map (fun l => (bring j (fst l), snd l)) ls.

Definition equations (ls : list lin) : list lin :=
  filter (fun l => existsb (fun k => (snd k =? - snd l) &&& same_coeffs (fst k) (map Z.opp (fst l))) ls) ls.

Definition cost (eqs ls : list lin) (j : nat) : Z :=
  if existsb (fun l => nth j (fst l) 0 =? 1) eqs then - 1000
  else
    let at_j := map (fun l => nth j (fst l) 0) ls in
    let up := Z.of_nat (length (filter (Z.ltb 0) at_j)) in
    let down := Z.of_nat (length (filter (fun a => a <? 0) at_j)) in
    up * down - up - down.

Definition cheapest (atoms : nat) (ls : list lin) : nat :=
  let eqs := equations ls in
  fst (fold_right (fun j best => let c := cost eqs ls j in if c <? snd best then (j, c) else best)
    (O, cost eqs ls O) (seq 1 (atoms - 1))).

Fixpoint eliminate (atoms : nat) (ls : list lin) : bool :=
  existsb impossible ls |||
  match atoms with
  | O => false
  | S m => eliminate m (without_head (brought (cheapest atoms ls) ls))
  end.

Lemma dot_bring j : forall c v, dot (bring j c) (bring j v) = dot c v.
Proof.
  unfold bring. induction j as [|j IHj]; intros [|a c] [|x v]; cbn [without nth dot]; rewrite ?dot_nil; try lia.
  - destruct c; cbn; lia.
  - specialize (IHj c v). cbn [dot] in IHj. lia.
Qed.

Lemma dot_same c : forall d v, same_coeffs c d = true -> dot c v = dot d v.
Proof.
  induction c as [|a c IHc]; intros d v.
  - intros zeros. cbn [same_coeffs] in zeros. rewrite (zeros_dot _ _ zeros). now destruct v.
  - destruct d as [|b d]; cbn [same_coeffs].
    + intros zeros. rewrite (zeros_dot _ _ zeros). now destruct v.
    + destruct (Z.eqb_spec a b) as [<-|]; [|discriminate]. intros same. destruct v as [|x v]; cbn; [reflexivity|].
      now rewrite (IHc d v same).
Qed.

Lemma gcd_divides c : Forall (fun a => (fold_right Z.gcd 0 c | a)) c.
Proof.
  induction c as [|a c IHc]; cbn; constructor.
  - apply Z.gcd_divide_l.
  - apply Forall_impl with (2 := IHc). intros b divides.
    apply Z.divide_trans with (2 := divides). apply Z.gcd_divide_r.
Qed.

Lemma dot_divided g c : 0 < g -> Forall (fun a => (g | a)) c ->
  forall v, dot c v = g * dot (map (fun a => a / g) c) v.
Proof.
  intros g_pos. induction 1 as [|a c [q ->] _ IHc]; intros [|x v]; cbn [map dot]; try lia.
  rewrite (IHc v), Z.div_mul by lia. lia.
Qed.

Lemma tightened_nonneg v l : nonneg v l -> nonneg v (tightened l).
Proof.
  unfold nonneg, tightened. intros l_nonneg. set (g := fold_right _ _ _).
  destruct (Z.leb_spec g 1) as [|large]; [assumption|]. unfold lin_val in *. cbn.
  rewrite (dot_divided g (fst l)) in l_nonneg by (try lia; apply gcd_divides).
  pose proof (Z.div_mod (snd l) g). pose proof (Z.mod_pos_bound (snd l) g). nia.
Qed.

Lemma lin_val_tail x v l : lin_val (x :: v) l = head l * x + lin_val v (tail l).
Proof. unfold lin_val, head, tail. destruct l as [[|a c] b]; cbn; rewrite ?dot_nil; lia. Qed.

Lemma head_add k l : head (lin_add k l) = head k + head l.
Proof. destruct k as [[|a c] x], l as [[|b d] y]; unfold head; cbn; lia. Qed.

Lemma head_scale a l : head (lin_scale a l) = a * head l.
Proof. destruct l as [[|b d] y]; unfold head; cbn; lia. Qed.

Lemma add_row_nonneg v l ls : nonneg v l -> Forall (nonneg v) ls -> Forall (nonneg v) (add_row l ls).
Proof.
  unfold add_row. intros l_ok ls_ok. rewrite <- andb_lazy_alt. destruct (_ && _); [assumption|].
  match goal with |- context [existsb ?f ls] => destruct (existsb f ls) end; [assumption|].
  constructor; [assumption|]. apply Forall_forall. intros k k_in. apply filter_In in k_in as [k_in _].
  now apply (proj1 (Forall_forall _ _) ls_ok).
Qed.

Lemma add_rows_nonneg v ls more : Forall (nonneg v) ls -> Forall (nonneg v) more ->
  Forall (nonneg v) (fold_right add_row more ls).
Proof.
  intros ls_ok more_ok. induction ls_ok as [|l ls l_ok _ IHls]; cbn; [assumption|].
  now apply add_row_nonneg.
Qed.

Lemma equation_val v ls eq : Forall (nonneg v) ls -> equation ls = Some eq -> lin_val v eq = 0 /\ head eq = 1.
Proof.
  intros ls_ok found. apply find_some in found as [eq_in found].
  rewrite <- andb_lazy_alt in found. apply andb_true_iff in found as [head_one negated]. apply Z.eqb_eq in head_one.
  apply existsb_exists in negated as (k & k_in & opposite).
  rewrite <- andb_lazy_alt in opposite.
  apply andb_true_iff in opposite as [opposite same]. apply Z.eqb_eq in opposite.
  pose proof (proj1 (Forall_forall _ _) ls_ok _ eq_in) as low.
  pose proof (proj1 (Forall_forall _ _) ls_ok _ k_in) as high.
  split; [|assumption]. unfold nonneg, lin_val in *.
  rewrite (dot_same _ _ v same) in high.
  replace (map Z.opp (fst eq)) with (map (Z.mul (-1)) (fst eq)) in high
    by (apply map_ext; intros a; lia).
  rewrite dot_scale in high. lia.
Qed.

Lemma without_head_nonneg x v ls : Forall (nonneg (x :: v)) ls -> Forall (nonneg v) (without_head ls).
Proof.
  intros ls_ok. unfold without_head. destruct (equation ls) as [eq|] eqn:found.
  - destruct (equation_val _ _ _ ls_ok found) as [zero one]. clear found.
    induction ls_ok as [|l ls l_ok _ IHls]; cbn; [constructor|]. apply add_row_nonneg; [|assumption].
    apply tightened_nonneg. unfold nonneg in *.
    assert (same : lin_val (x :: v) (lin_sub l (lin_scale (head l) eq)) = lin_val (x :: v) l)
      by (rewrite lin_sub_val, lin_scale_val, zero; lia).
    rewrite lin_val_tail in same. unfold lin_sub at 1 in same.
    rewrite head_add, !head_scale, one in same. lia.
  - assert (rest : Forall (nonneg v) (fold_right add_row [] (map tail (filter (fun l => head l =? 0) ls)))).
    { clear found. induction ls_ok as [|l ls l_ok _ IHls]; cbn; [constructor|].
      destruct (Z.eqb_spec (head l) 0) as [zero|]; [|assumption]. cbn. apply add_row_nonneg; [|assumption].
      unfold nonneg in *. rewrite lin_val_tail, zero in l_ok. lia. }
    assert (all : forall l, In l ls -> nonneg (x :: v) l) by now apply Forall_forall.
    clear ls_ok found.
    apply add_rows_nonneg; [|assumption]. apply Forall_forall. intros l l_in.
    apply in_flat_map in l_in as (p & p_in & l_in). apply in_map_iff in l_in as (n & <- & n_in).
    apply filter_In in p_in as [p_in p_pos], n_in as [n_in n_neg].
    pose proof (all p p_in) as p_ok. pose proof (all n n_in) as n_ok.
    unfold combined. apply tightened_nonneg. unfold nonneg in *.
    assert (value := lin_val_tail x v (lin_add (lin_scale (- head n) p) (lin_scale (head p) n))).
    rewrite lin_add_val, !lin_scale_val, head_add, !head_scale in value. nia.
Qed.

Lemma impossible_none v l : nonneg v l -> impossible l = false.
Proof.
  unfold impossible, nonneg, lin_val. intros ok. apply not_true_iff_false. intros bad.
  rewrite <- andb_lazy_alt in bad. apply andb_true_iff in bad as [low zeros]. rewrite (zeros_dot _ _ zeros) in ok. lia.
Qed.

Lemma eliminate_sound atoms : forall v ls, Forall (nonneg v) ls -> eliminate atoms ls = false.
Proof.
  induction atoms as [|n IHn]; intros v ls ls_ok; cbn [eliminate];
    (replace (existsb impossible ls) with false
      by (induction ls_ok as [|l ls l_ok _ IHls]; cbn; [reflexivity|];
          now rewrite (impossible_none _ _ l_ok), <- IHls)); [reflexivity|].
  set (j := cheapest (S n) ls). apply (IHn (without j v)), (without_head_nonneg (nth j v 0)).
  unfold brought. apply Forall_map. apply Forall_impl with (2 := ls_ok). intros l.
  unfold nonneg, lin_val. cbn [fst snd]. change (nth j v 0 :: without j v) with (bring j v). now rewrite dot_bring.
Qed.
