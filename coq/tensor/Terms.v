(** Sums of products as lists of terms, and the steps by which such a list is shown to be 0.

    An expression is a tree of sums, products and choices (deep) whose leaves are functions of
    the indices bound around them (shallow). It is distributed into a list of terms: binders, a
    guard, a body. What follows is a sequence of steps on the list of [left - right].

    [env]        values of the bound indices, the innermost first; [v # i] is the i-th
    [expression], [value]   the trees and what they mean
    [term], [term_value], [total]   terms, and the sum of a list of them
    [terms_of], [terms_of_value]    distribution, and that it keeps the value
    [begin_difference]   two expressions are equal if the terms of their difference add up to 0
    [cancel_step]        two terms cancel by a bijection of their domains
    [drop_step]          a term that is 0 where its guard holds
    [split_step]         a term by cases on a guard *)

From Coq Require Import Reals ZArith List Lia Lra Bool.
From Vouch Require Import lib.Lists tensor.Sums.
Import ListNotations.
Local Open Scope R_scope.

Definition env := list Z.
Notation "v # i" := (nth i v 0%Z) (at level 9, i at level 0).

Inductive expression :=
| Leaf (f : env -> R)
| Add (a b : expression)
| Sub (a b : expression)
| Opp (a : expression)
| Mul (a b : expression)
| Total (n : env -> Z) (body : expression)
| Choose (g : env -> bool) (a b : expression)
| When (g : env -> bool) (a : expression).

Fixpoint value (e : expression) (v : env) : R :=
  match e with
  | Leaf f => f v
  | Add a b => value a v + value b v
  | Sub a b => value a v - value b v
  | Opp a => - value a v
  | Mul a b => value a v * value b v
  | Total n body => sum (n v) (fun k => value body (k :: v))
  | Choose g a b => if g v then value a v else value b v
  | When g a => if g v then value a v else 0
  end.

Record term := Term { binders : list (env -> Z); guard : env -> bool; body : env -> R }.

Fixpoint domain (b : list (env -> Z)) (v : env) : list env :=
  match b with
  | [] => [v]
  | n :: rest => flat_map (fun k => domain rest (k :: v)) (range (n v))
  end.

Definition term_value (t : term) (v : env) : R :=
  lsum (domain (binders t) v) (fun w => if guard t w then body t w else 0).
Definition total (l : list term) (v : env) : R := lsum l (fun t => term_value t v).

(** ** Distribution *)

(* Binders under [i] binders of their own and, below these, [below] others that they do not see. *)
Fixpoint lifted (i below : nat) (b : list (env -> Z)) : list (env -> Z) :=
  match b with
  | [] => []
  | n :: rest => (fun v => n (firstn i v ++ skipn (below + i) v)) :: lifted (S i) below rest
  end.

Definition times (t u : term) : term :=
  let outer := length (binders t) in
  let inner := length (binders u) in
  Term (binders t ++ lifted 0 outer (binders u))
    (fun v => guard t (skipn inner v) && guard u (firstn inner v ++ skipn (outer + inner) v))
    (fun v => body t (skipn inner v) * body u (firstn inner v ++ skipn (outer + inner) v)).

Definition guarded (p : env -> bool) (t : term) : term :=
  Term (binders t) (fun v => p (skipn (length (binders t)) v) && guard t v) (body t).
Definition opposite (t : term) : term := Term (binders t) (guard t) (fun v => - body t v).

Fixpoint terms_of (e : expression) : list term :=
  match e with
  | Leaf f => [Term [] (fun _ => true) f]
  | Add a b => terms_of a ++ terms_of b
  | Sub a b => terms_of a ++ map opposite (terms_of b)
  | Opp a => map opposite (terms_of a)
  | Mul a b => flat_map (fun t => map (times t) (terms_of b)) (terms_of a)
  | Total n e => map (fun t => Term (n :: binders t) (guard t) (body t)) (terms_of e)
  | Choose g a b =>
      map (guarded g) (terms_of a) ++ map (guarded (fun v => negb (g v))) (terms_of b)
  | When g a => map (guarded g) (terms_of a)
  end.

Lemma domain_suffix b : forall v w, In w (domain b v) ->
  exists u, w = u ++ v /\ length u = length b.
Proof.
  induction b as [|n b IHb]; cbn; intros v w w_in.
  - destruct w_in as [<-|[]]. now exists [].
  - apply in_flat_map in w_in as (k & _ & w_in). apply IHb in w_in as (u & -> & same).
    exists (u ++ [k]). rewrite <- app_assoc, app_length, same. cbn. split; [reflexivity|lia].
Qed.

Lemma app_same_length {A} (u v x y : list A) :
  length u = length v -> u ++ x = v ++ y -> u = v /\ x = y.
Proof.
  revert v. induction u as [|a u IHu]; intros [|b v]; cbn; try discriminate; [tauto|].
  intros same equal. injection same as same. injection equal as <- equal.
  now destruct (IHu v same equal) as [<- <-].
Qed.

Lemma domain_once b : forall v, NoDup (domain b v).
Proof.
  induction b as [|n b IHb]; cbn; intros v; [constructor; [easy|constructor]|].
  pose proof (range_once (n v)) as once.
  induction once as [|k l k_new _ IHl]; cbn; [constructor|].
  apply NoDup_app; [apply IHb|assumption|].
  intros w w_in again. apply in_flat_map in again as (j & j_in & again).
  apply domain_suffix in w_in as (u & -> & size), again as (x & same & size').
  apply app_same_length in same as [_ same]; [|congruence]. congruence.
Qed.

Lemma domain_app b c v : domain (b ++ c) v = flat_map (domain c) (domain b v).
Proof.
  revert v. induction b as [|n b IHb]; cbn; intros v; [now rewrite app_nil_r|].
  induction (range (n v)) as [|k l IHl]; cbn; [reflexivity|].
  now rewrite flat_map_app, IHl, IHb.
Qed.

Lemma firstn_of_app {A} (u v : list A) : firstn (length u) (u ++ v) = u.
Proof. rewrite firstn_app, firstn_all, Nat.sub_diag. apply app_nil_r. Qed.

Lemma skipn_of_app {A} (u v : list A) : skipn (length u) (u ++ v) = v.
Proof. now rewrite skipn_app, skipn_all, Nat.sub_diag. Qed.

Lemma skipn_of_app_app {A} (u v w : list A) n :
  n = (length v + length u)%nat -> skipn n (u ++ v ++ w) = w.
Proof.
  intros ->. rewrite app_assoc. rewrite <- (skipn_of_app (u ++ v) w) at 2.
  f_equal. rewrite app_length. lia.
Qed.

Lemma domain_lifted b : forall x u v,
  domain (lifted (length x) (length u) b) (x ++ u ++ v) =
  map (fun w => firstn (length x + length b) w ++ u ++ skipn (length x + length b) w)
    (domain b (x ++ v)).
Proof.
  induction b as [|n b IHb]; cbn; intros x u v.
  - now rewrite Nat.add_0_r, firstn_of_app, skipn_of_app.
  - rewrite firstn_of_app, skipn_of_app_app by reflexivity.
    induction (range (n (x ++ v))) as [|k l IHl]; cbn; [reflexivity|].
    rewrite map_app, IHl. f_equal. pose proof (IHb (k :: x) u v) as inner.
    rewrite Nat.add_succ_r. exact inner.
Qed.

Lemma term_value_times t u v : term_value (times t u) v = term_value t v * term_value u v.
Proof.
  unfold term_value at 1. cbn. rewrite domain_app, lsum_flat_map. unfold term_value at 1.
  rewrite <- lsum_scale_r. apply lsum_ext. intros w w_in.
  apply domain_suffix in w_in as (x & -> & x_size). rewrite <- x_size.
  pose proof (domain_lifted (binders u) [] x v) as lifted_domain. cbn in lifted_domain.
  rewrite lifted_domain, lsum_map. unfold term_value.
  rewrite <- lsum_scale. apply lsum_ext. intros w w_in.
  apply domain_suffix in w_in as (z & -> & z_size). rewrite <- z_size.
  rewrite firstn_of_app, !skipn_of_app, firstn_of_app, skipn_of_app_app by reflexivity.
  destruct (guard t (x ++ v)), (guard u (z ++ v)); cbn; ring.
Qed.

Lemma term_value_opposite t v : term_value (opposite t) v = - term_value t v.
Proof.
  unfold term_value. cbn. set (terms := domain _ _).
  replace (- lsum terms _) with (-1 * lsum terms (fun w => if guard t w then body t w else 0)) by lra.
  rewrite <- lsum_scale. apply lsum_ext. intros w _. destruct (guard t w); lra.
Qed.

Lemma term_value_guarded p t v :
  term_value (guarded p t) v = if p v then term_value t v else 0.
Proof.
  unfold term_value. cbn. destruct (p v) eqn:p_is.
  - apply lsum_ext. intros w w_in. apply domain_suffix in w_in as (u & -> & size).
    now rewrite <- size, skipn_of_app, p_is.
  - apply lsum_zero. intros w w_in. apply domain_suffix in w_in as (u & -> & size).
    now rewrite <- size, skipn_of_app, p_is.
Qed.

Lemma total_app l m v : total (l ++ m) v = total l v + total m v.
Proof. apply lsum_app. Qed.

Lemma total_opposite l v : total (map opposite l) v = - total l v.
Proof.
  unfold total. induction l as [|t l IHl]; cbn [map fsum]; [lra|]. rewrite term_value_opposite. lra.
Qed.

Lemma total_guarded p l v : total (map (guarded p) l) v = if p v then total l v else 0.
Proof.
  unfold total. induction l as [|t l IHl]; cbn [map fsum]; [now destruct (p v)|].
  rewrite term_value_guarded, IHl. destruct (p v); lra.
Qed.

Lemma total_times l m v :
  total (flat_map (fun t => map (times t) m) l) v = total l v * total m v.
Proof.
  unfold total. induction l as [|t l IHl]; cbn [flat_map fsum]; [lra|].
  rewrite lsum_app, IHl, lsum_map, Rmult_plus_distr_r. f_equal.
  rewrite <- lsum_scale. apply lsum_ext. intros u _. apply term_value_times.
Qed.

Lemma total_sum n l v :
  total (map (fun t => Term (n :: binders t) (guard t) (body t)) l) v =
  sum (n v) (fun k => total l (k :: v)).
Proof.
  unfold total, sum. rewrite lsum_map.
  induction l as [|t l IHl]; cbn [map fsum]; [symmetry; now apply lsum_zero|].
  rewrite lsum_plus, IHl. f_equal. unfold term_value. cbn. apply lsum_flat_map.
Qed.

Theorem terms_of_value e : forall v, value e v = total (terms_of e) v.
Proof.
  induction e as [f|a IHa b IHb|a IHa b IHb|a IHa|a IHa b IHb|n a IHa|g a IHa b IHb|g a IHa];
    cbn [value terms_of]; intros v.
  - unfold total, term_value. cbn. lra.
  - now rewrite total_app, IHa, IHb.
  - rewrite total_app, total_opposite, IHa, IHb. lra.
  - now rewrite total_opposite, IHa.
  - now rewrite total_times, IHa, IHb.
  - rewrite total_sum. now apply sum_ext.
  - rewrite total_app, !total_guarded, IHa, IHb. destruct (g v); cbn; lra.
  - now rewrite total_guarded, IHa.
Qed.

(** ** Steps *)

Fixpoint for_all (b : list (env -> Z)) (v : env) (P : env -> Prop) : Prop :=
  match b with
  | [] => P v
  | n :: rest => forall k, (0 <= k < n v)%Z -> for_all rest (k :: v) P
  end.

Lemma for_all_domain b : forall v P, for_all b v P -> forall w, In w (domain b v) -> P w.
Proof.
  induction b as [|n b IHb]; cbn; intros v P all w w_in; [now destruct w_in as [<-|[]]|].
  apply in_flat_map in w_in as (k & k_in & w_in). apply in_range in k_in.
  now apply (IHb (k :: v) P (all k k_in)).
Qed.

Fixpoint within (b : list (env -> Z)) (v : env) (indices : list Z) : Prop :=
  match b, indices with
  | [], [] => True
  | n :: b, k :: indices => (0 <= k < n v)%Z /\ within b (k :: v) indices
  | _, _ => False
  end.

Lemma within_domain b : forall v indices,
  within b v indices -> In (rev_append indices v) (domain b v).
Proof.
  induction b as [|n b IHb]; intros v [|k indices]; cbn; try tauto.
  intros [bounds inner]. apply in_flat_map. exists k. rewrite in_range. auto.
Qed.

(* [phi] leads from the domain of [t] to that of [u], where the body is [s] times as much. *)
Definition maps_to (s : R) (t u : term) (v : env) (phi psi : env -> list Z) : Prop :=
  for_all (binders t) v (fun w => guard t w = true ->
    let there := rev_append (phi w) v in
    within (binders u) v (phi w) /\ guard u there = true /\ rev_append (psi there) v = w /\
    body t w = s * body u there).
Definition maps_back (t u : term) (v : env) (phi psi : env -> list Z) : Prop :=
  for_all (binders u) v (fun w => guard u w = true ->
    let there := rev_append (psi w) v in
    within (binders t) v (psi w) /\ guard t there = true /\ rev_append (phi there) v = w).

Lemma term_value_reindex s t u v phi psi :
  maps_to s t u v phi psi -> maps_back t u v phi psi -> term_value t v = s * term_value u v.
Proof.
  intros there back. unfold term_value. rewrite <- lsum_scale.
  transitivity (lsum (domain (binders u) v) (fun w => if guard u w then s * body u w else 0)).
  2: { apply lsum_ext. intros w _. destruct (guard u w); ring. }
  apply (lsum_reindex _ _ _ _ _ _
    (fun w => rev_append (phi w) v) (fun w => rev_append (psi w) v)).
  - apply domain_once.
  - apply domain_once.
  - intros w w_in w_ok.
    destruct (for_all_domain _ _ _ there w w_in w_ok) as (inside & ok & same & equal).
    auto using within_domain.
  - intros w w_in w_ok.
    destruct (for_all_domain _ _ _ back w w_in w_ok) as (inside & ok & same).
    auto using within_domain.
Qed.

Lemma term_value_zero t v :
  for_all (binders t) v (fun w => guard t w = true -> body t w = 0) -> term_value t v = 0.
Proof.
  intros zero. apply lsum_zero. intros w w_in. destruct (guard t w) eqn:w_ok; [|reflexivity].
  now apply (for_all_domain _ _ _ zero w w_in w_ok).
Qed.

Definition limited (p : env -> bool) (t : term) : term :=
  Term (binders t) (fun w => p w && guard t w) (body t).

Lemma term_value_split p t v :
  term_value t v = term_value (limited p t) v + term_value (limited (fun w => negb (p w)) t) v.
Proof.
  unfold term_value. cbn. rewrite <- lsum_plus. apply lsum_ext. intros w _.
  destruct (p w), (guard t w); cbn; lra.
Qed.

Fixpoint without {A} (i : nat) (l : list A) : list A :=
  match l, i with
  | [], _ => []
  | _ :: rest, O => rest
  | a :: rest, S i => a :: without i rest
  end.

Lemma lsum_without {A} (f : A -> R) i : forall l t,
  nth_error l i = Some t -> lsum l f = f t + lsum (without i l) f.
Proof.
  induction i as [|i IHi]; intros [|a l] t; cbn; try discriminate.
  - intros there. now injection there as ->.
  - intros there. rewrite (IHi l t there). lra.
Qed.

Theorem begin_difference a b v : total (terms_of (Sub a b)) v = 0 -> value a v = value b v.
Proof. rewrite <- terms_of_value. cbn. lra. Qed.

(* [j] is a position in the list without [i]. *)
Theorem cancel_step i j l v phi psi t u :
  nth_error l i = Some t -> nth_error (without i l) j = Some u ->
  maps_to (-1) t u v phi psi -> maps_back t u v phi psi ->
  total (without j (without i l)) v = 0 -> total l v = 0.
Proof.
  unfold total. intros t_at u_at there back rest.
  rewrite (lsum_without _ _ _ _ t_at), (lsum_without _ _ _ _ u_at), rest. cbv beta.
  rewrite (term_value_reindex _ _ _ _ _ _ there back). lra.
Qed.

Theorem drop_step i l v t :
  nth_error l i = Some t -> for_all (binders t) v (fun w => guard t w = true -> body t w = 0) ->
  total (without i l) v = 0 -> total l v = 0.
Proof.
  unfold total. intros t_at zero rest.
  rewrite (lsum_without _ _ _ _ t_at), rest, (term_value_zero _ _ zero). cbv beta. lra.
Qed.

Theorem split_step i p l v t :
  nth_error l i = Some t ->
  total (limited p t :: limited (fun w => negb (p w)) t :: without i l) v = 0 -> total l v = 0.
Proof.
  unfold total. cbn [fsum]. intros t_at rest.
  rewrite (lsum_without _ _ _ _ t_at), (term_value_split p). cbv beta. lra.
Qed.
