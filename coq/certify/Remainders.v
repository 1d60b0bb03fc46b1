(** Equal index terms of which one has a remainder and the other the difference that it is.

    What array/IndexCheck.v decides, and besides: where c * (a / b) * b is taken from a sum that has
    c * a, the sum has c * (a mod b) instead, and nothing is taken away. So 2 * i + k - 3 * (2 * i / 3)
    is (2 * i) mod 3 + k. Only statements are compared so; what texts are simplified by stays.

    [modular]       differences with remainders for what is taken away
    [index_states]  equal normal forms; sound by [index_states_sound] *)

From Coq Require Import Arith NArith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.IndexCheck.
Import ListNotations.

(** The first quotient a / b in a product, and the other factors. *)
Fixpoint find_quotient (p : product) : option (ixe * ixe * product) :=
  match p with
  | [] => None
  | XDiv a b :: r => Some (a, b, r)
  | x :: r =>
      match find_quotient r with
      | Some (a, b, others) => Some (a, b, x :: others)
      | None => None
      end
  end.

(** A product without the factors of another, if it has them all. *)
Fixpoint without (q p : product) : option product :=
  match q, p with
  | [], _ => Some p
  | _, [] => None
  | x :: q1, y :: p1 =>
      if ixe_eq_dec x y then without q1 p1
      else match without q p1 with Some r => Some (y :: r) | None => None end
  end.

(** s without c times p, if that is what a remainder leaves of a part of s. *)
Definition remainder_left (p : product) (c : N) (s : sum) : option sum :=
  match find_quotient p with
  | Some (a, b, others) =>
      match terms b with
      | [(q, d)] =>
          match without q others with
          | Some rest =>
              match cancel (term_mul rest (c / d) (terms a)) s with
              | ([], stays) =>
                  if N.eqb (c / d * d) c
                  then Some (add_term (insert (XMod a b) rest) (c / d) stays)
                  else None
              | _ => None
              end
          | None => None
          end
      | _ => None
      end
  | None => None
  end.

(** Both sides of s - (kept + t). *)
Fixpoint remainders_left (s kept t : sum) : sum * sum :=
  match t with
  | [] => (s, kept)
  | (p, c) :: r =>
      match remainder_left p c s with
      | Some s1 => remainders_left s1 kept r
      | None => remainders_left s (add_term p c kept) r
      end
  end.

Section KNOWN.
  Context (known : list ixe).

  Fixpoint modular (e : ixe) : ixe :=
    match e with
    | XVar _ | XSize _ => e
    | XAdd a b => XAdd (modular a) (modular b)
    | XSub a b =>
        let (s, t) :=
          remainders_left (index_sum known (modular a)) [] (index_sum known (modular b)) in
        XSub (sum_index s) (sum_index t)
    | XMul a b => XMul (modular a) (modular b)
    | XDiv a b => XDiv (modular a) (modular b)
    | XMod a b => XMod (modular a) (modular b)
    end.

  Definition modular_same (a b : ixe) : bool :=
    sum_same (index_sum known (modular a)) (index_sum known (modular b)).

  Definition index_states (a b : ixe) : bool :=
    if index_same known a b then true
    else if modular_same a b then true
    else modular_same (merged a) (merged b).
End KNOWN.

Section SOUNDNESS.
  Context (sg ie : nat -> nat).

  Lemma find_quotient_val p a b others : find_quotient p = Some (a, b, others) ->
    product_val sg ie p = (ixe_val sg ie a / ixe_val sg ie b) * product_val sg ie others.
  Proof.
    revert others. induction p as [|x p IHp]; intros others; [discriminate|].
    assert (LATER : match find_quotient p with
                    | Some (a1, b1, r) => Some (a1, b1, x :: r)
                    | None => None
                    end = Some (a, b, others) ->
            product_val sg ie (x :: p) =
            (ixe_val sg ie a / ixe_val sg ie b) * product_val sg ie others).
    { destruct (find_quotient p) as [[[a1 b1] r]|]; [|discriminate].
      intros found. injection found as a_is b_is others_is. rewrite a_is, b_is in IHp.
      change (ixe_val sg ie x * product_val sg ie p =
              (ixe_val sg ie a / ixe_val sg ie b) * product_val sg ie others).
      rewrite (IHp r eq_refl), <- others_is.
      change (product_val sg ie (x :: r)) with (ixe_val sg ie x * product_val sg ie r). ring. }
    destruct x; try exact LATER. cbn [find_quotient].
    intros found. injection found as a_is b_is others_is.
    rewrite a_is, b_is, others_is. reflexivity.
  Qed.

  Lemma without_val p : forall q r, without q p = Some r ->
    product_val sg ie p = product_val sg ie q * product_val sg ie r.
  Proof.
    induction p as [|y p IHp]; intros [|x q] r; cbn [without]; try discriminate.
    1, 2: intros found; injection found as r_is; rewrite <- r_is; symmetry; apply Nat.mul_1_l.
    change (product_val sg ie (y :: p)) with (ixe_val sg ie y * product_val sg ie p).
    destruct (ixe_eq_dec x y) as [same|].
    - intros found. rewrite (IHp q r found), same.
      change (product_val sg ie (y :: q)) with (ixe_val sg ie y * product_val sg ie q). ring.
    - destruct (without (x :: q) p) as [r1|] eqn:later; [|discriminate].
      intros found. injection found as r_is. rewrite (IHp _ _ later), <- r_is.
      change (product_val sg ie (y :: r1)) with (ixe_val sg ie y * product_val sg ie r1). ring.
  Qed.

  Lemma remainder_left_val p c s s1 : remainder_left p c s = Some s1 ->
    sum_val sg ie s = N.to_nat c * product_val sg ie p + sum_val sg ie s1.
  Proof.
    unfold remainder_left. destruct (find_quotient p) as [[[a b] others]|] eqn:found;
      [|discriminate].
    rewrite (find_quotient_val p a b others found).
    pose proof (terms_val sg ie b) as b_is. destruct (terms b) as [|[q d] [|u r]]; try discriminate.
    destruct (without q others) as [rest|] eqn:apart; [|discriminate].
    rewrite (without_val others q rest apart).
    pose proof (cancel_val sg ie (term_mul rest (c / d) (terms a)) s) as BOTH.
    destruct (cancel _ s) as [[|v t1] stays]; [|discriminate].
    destruct BOTH as (common & a_is & s_is). rewrite term_mul_val, terms_val in a_is.
    destruct (N.eqb_spec (c / d * d) c) as [whole|]; [|discriminate].
    intros done. injection done as s1_is. rewrite <- s1_is, add_term_val, insert_val.
    change (sum_val sg ie []) with 0 in a_is. rewrite Nat.add_0_r in a_is. rewrite s_is, <- a_is.
    assert (c_is : N.to_nat c = N.to_nat (c / d) * N.to_nat d).
    { rewrite <- N2Nat.inj_mul, whole. reflexivity. }
    rewrite c_is. cbn [ixe_val]. rewrite sum_val_cons in b_is.
    change (sum_val sg ie []) with 0 in b_is. rewrite Nat.add_0_r in b_is.
    set (m := N.to_nat (c / d)). set (x := ixe_val sg ie a). set (y := ixe_val sg ie b) in *.
    pose proof (Nat.div_mod_eq x y) as x_is. rewrite <- b_is in x_is at 1.
    rewrite x_is at 1. ring.
  Qed.

  Lemma remainders_left_val t : forall s kept,
    let (s1, t1) := remainders_left s kept t in
    sum_val sg ie s - (sum_val sg ie kept + sum_val sg ie t) = sum_val sg ie s1 - sum_val sg ie t1.
  Proof.
    induction t as [|[p c] t IHt]; intros s kept; cbn [remainders_left].
    - change (sum_val sg ie []) with 0. rewrite Nat.add_0_r. reflexivity.
    - rewrite sum_val_cons. destruct (remainder_left p c s) as [s1|] eqn:taken.
      + pose proof (remainder_left_val p c s s1 taken) as s_is. specialize (IHt s1 kept).
        destruct (remainders_left s1 kept t) as [s2 t2]. lia.
      + specialize (IHt s (add_term p c kept)). rewrite add_term_val in IHt.
        destruct (remainders_left s (add_term p c kept) t) as [s2 t2]. lia.
  Qed.

  Context (known : list ixe) (KNOWN : forall e, In e known -> proper sg ie e).

  Lemma modular_val e : ixe_val sg ie (modular known e) = ixe_val sg ie e.
  Proof using KNOWN.
    induction e as [i|z|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb];
      cbn [modular ixe_val]; rewrite <- ?IHa, <- ?IHb; try reflexivity.
    pose proof (remainders_left_val (index_sum known (modular known b))
                  (index_sum known (modular known a)) []) as BOTH.
    destruct (remainders_left _ _ _) as [s t]. cbn [ixe_val].
    rewrite !sum_index_val, <- BOTH, !(index_sum_val sg ie known KNOWN). reflexivity.
  Qed.

  Lemma modular_same_val a b : modular_same known a b = true ->
    ixe_val sg ie a = ixe_val sg ie b.
  Proof using KNOWN.
    unfold modular_same. intros same. apply (sum_same_val sg ie) in same.
    rewrite !(index_sum_val sg ie known KNOWN), !modular_val in same. exact same.
  Qed.

  Lemma index_states_sound a b : index_states known a b = true ->
    ixe_val sg ie a = ixe_val sg ie b.
  Proof using KNOWN.
    unfold index_states. destruct (index_same known a b) eqn:same.
    - intros _. exact (index_same_sound sg ie known KNOWN a b same).
    - destruct (modular_same known a b) eqn:modular_too.
      + intros _. exact (modular_same_val a b modular_too).
      + intros later. apply modular_same_val in later. rewrite !merged_val in later.
        exact later.
  Qed.
End SOUNDNESS.

Example a_remainder_is_a_difference :
  let twice := XMul (XVar 1) (XSize (SConst 2)) in
  let three := XSize (SConst 3) in
  index_states []
    (XSub (XAdd (XMul (XVar 0) three) twice) (XMul (XDiv twice three) (XSize (SConst 3))))
    (XAdd (XMod twice three) (XMul three (XVar 0))) = true.
Proof. reflexivity. Qed.

Example another_divisor_is_not :
  let twice := XMul (XVar 1) (XSize (SConst 2)) in
  let three := XSize (SConst 3) in
  index_states []
    (XSub (XAdd (XMul (XVar 0) three) twice) (XMul (XDiv twice three) (XSize (SConst 2))))
    (XAdd (XMod twice three) (XMul three (XVar 0))) = false.
Proof. reflexivity. Qed.
